public import CalotypePlatform
import Dispatch
import Synchronization

/// Runs `body` and cancels it at the first SIGINT, SIGTERM or SIGHUP; a second signal ends the process
/// immediately.
///
/// Call it once, from the program's main function. While it runs, the signals have no other effect. A process
/// that was started with SIGHUP ignored, as `nohup` does, goes on ignoring it.
///
/// - Parameters:
///   - signals: The signals that interrupt.
///   - onSignal: Called with the first signal, before the work is cancelled.
///   - body: The work, which is awaited even after the signal.
/// - Returns: The result of `body`, and the interruption if a signal arrived before the end.
/// - Throws: What `body` throws. If it is a `CancellationError`, ``Interruption/received`` tells whether a
///   signal was the cause.
public func withInterruption<Result: Sendable>(
    by signals: [Int32] = [SIGINT, SIGTERM, SIGHUP],
    onSignal: @escaping @Sendable (Interruption) async -> Void = { _ in },
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> (result: Result, interruption: Interruption?) {
    let watch = SignalWatch(signals)
    defer { watch.stop() }
    return try await withThrowingTaskGroup(of: WatchEvent<Result>.self) { group in
        group.addTask {
            do { return .ended(.success(try await body())) } catch { return .ended(.failure(error)) }
        }
        group.addTask { .signal(await watch.first()) }
        var received: Interruption?
        Interruption.received = nil
        while let event = try await group.next() {
            switch event {
            case .signal(let signal):
                received = signal.map(Interruption.init(signal:)) ?? received
                Interruption.received = received
                if let received { await onSignal(received) }
                group.cancelAll()
            case .ended(let result):
                group.cancelAll()
                return (try result.get(), received)
            }
        }
        throw CancellationError()
    }
}

/// The end of a program's work by a signal.
public struct Interruption: Hashable, Sendable {
    /// The signal that interrupted this process; `nil` if none did.
    ///
    /// Like the handlers of signals, it belongs to the whole process.
    public internal(set) static var received: Interruption? {
        get {
            let signal = lastSignal.load(ordering: .acquiring)
            return signal > 0 ? Interruption(signal: signal) : nil
        }
        set { lastSignal.store(newValue?.signal ?? 0, ordering: .releasing) }
    }

    private static let lastSignal = Atomic<Int32>(0)

    /// The number of the signal, such as `SIGINT`.
    public let signal: Int32

    /// The exit code by which shells report the signal: 128 plus its number, such as 130 for SIGINT.
    public var exitCode: Int32 { 128 + signal }

    /// Creates the interruption by `signal`.
    public init(signal: Int32) {
        self.signal = signal
    }
}

private enum WatchEvent<Output: Sendable>: Sendable {
    case ended(Result<Output, any Error>)
    case signal(Int32?)
}

/// Delivers signals as they arrive, through a pipe.
///
/// A `DispatchSourceSignal` requires ignored signals, and Linux drops an ignored signal unless the main
/// thread blocks it: one that arrived before the main thread went to sleep was lost. A handler loses none.
final class SignalWatch: Sendable {
    private let arrivals: AsyncStream<Int32>
    private let numbers: [Int32]
    // SAFETY: created in `init`, cancelled in `stop`, not changed in between; libdispatch's objects are
    // thread-safe.
    private nonisolated(unsafe) let source: (any DispatchSourceRead)?

    init(_ signals: [Int32]) {
        let numbers = signals.filter { $0 != SIGHUP || !Self.isIgnored($0) }
        let (stream, continuation) = AsyncStream.makeStream(
            of: Int32.self,
            bufferingPolicy: .bufferingOldest(1)
        )
        arrivals = stream
        self.numbers = numbers
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            // There is no descriptor for a pipe, so the signals keep their default action and end the
            // process.
            unsafe source = nil
            return
        }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        SignalDoor.open(writeEnd)
        let source = DispatchSource.makeReadSource(fileDescriptor: readEnd, queue: .global())
        source.setEventHandler {
            var number: UInt8 = 0
            if unsafe read(readEnd, &number, 1) == 1 { continuation.yield(Int32(number)) }
        }
        source.setCancelHandler {
            close(readEnd)
            close(writeEnd)
        }
        source.resume()
        unsafe self.source = source
        for number in numbers { _ = signal(number, SignalDoor.handler) }
    }

    /// Returns the first signal, or `nil` if the task is cancelled first.
    func first() async -> Int32? {
        for await number in arrivals { return number }
        return nil
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var current = sigaction()
        guard unsafe sigaction(number, nil, &current) == 0,
            let handler = current.handler
        else { return false }
        // SIG_IGN, which Swift cannot compare with.
        return unsafe unsafeBitCast(handler, to: Int.self) == 1
    }

    /// Restores the default action of the signals.
    func stop() {
        for number in numbers { _ = signal(number, SIG_DFL) }
        SignalDoor.close()
        unsafe source?.cancel()
    }
}

/// The state that a signal handler may access; a process has one set of handlers, so it is global.
enum SignalDoor {
    private static let descriptor = Atomic<Int32>(-1)
    private static let count = Atomic<Int>(0)

    /// Sends signals to `descriptor`, one byte each; call it before installing the handler.
    static func open(_ descriptor: Int32) {
        // Also creates the values now, because a handler must not be the first to access them.
        TerminalRescue.prepare()
        count.store(0, ordering: .relaxed)
        self.descriptor.store(descriptor, ordering: .relaxed)
    }

    static func close() {
        descriptor.store(-1, ordering: .relaxed)
    }

    /// Does only what POSIX allows in a handler: atomics, `write`, `_exit`, and restoring a terminal.
    static let handler: @convention(c) (Int32) -> Void = { number in
        let saved = errno
        if count.add(1, ordering: .relaxed).newValue > 1 {
            TerminalRescue.perform()
            _exit(128 + number)
        }
        var byte = UInt8(truncatingIfNeeded: number)
        _ = unsafe write(descriptor.load(ordering: .relaxed), &byte, 1)
        errno = saved
    }
}
