import CalotypeCommandLineKit
import CalotypePlatform
import Synchronization

/// A file in memory that stands for standard error.
final class OutputFile: Sendable {
    let descriptor: Int32

    init() {
        descriptor = unsafe open("/tmp", 0o20_000_000 | O_DIRECTORY | O_RDWR, 0o600)
    }

    deinit { close(descriptor) }

    var output: TerminalOutput { TerminalOutput(descriptor: descriptor) }

    var text: String {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}

/// A clock that stands still until it is moved.
final class StillClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private let milliseconds = Atomic(0)
    var now: Instant { Instant(offset: .milliseconds(milliseconds.load(ordering: .relaxed))) }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
    func move(milliseconds count: Int) { milliseconds.add(count, ordering: .relaxed) }
}
