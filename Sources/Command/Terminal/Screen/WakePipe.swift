import CalotypeCore
import Glibc
import Synchronization

/// Wakes a thread that waits in `poll`.
final class WakePipe: Sendable {
    let readEnd: Int32
    /// Also for signal handlers: a byte is enough, and what finds no room is not needed.
    let writeEnd: Int32
    private let isAwake = Atomic(false)

    /// - Throws: `no_terminal` when no descriptor is left.
    init() throws(CalotypeError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw CalotypeError(.noTerminal, "no descriptor is left for the terminal", stage: .request)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    func wake() {
        guard !isAwake.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var byte: UInt8 = 0
        _ = unsafe write(writeEnd, &byte, 1)
    }

    /// Takes the bytes out, before the reasons for them are looked at.
    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(readEnd, &bytes, bytes.count) == bytes.count {}
        // Not before the read, which could take the byte of somebody who comes in between: nobody would send another.
        isAwake.store(false, ordering: .sequentiallyConsistent)
    }
}
