import Glibc
import Synchronization

/// What a signal handler may touch: a process has one set of handlers, so this is one for the process.
enum SignalDoor {
    private static let descriptor = Atomic<Int32>(-1)
    private static let exitCode = Atomic<Int32>(130)
    private static let count = Atomic<Int>(0)

    /// Lets signals through to `descriptor`, a byte each; call it before the handler is set.
    static func open(_ descriptor: Int32, exitCode: Int32) {
        // Also creates the values now: a handler must not be the first to touch them.
        TerminalRescue.prepare()
        count.store(0, ordering: .relaxed)
        self.exitCode.store(exitCode, ordering: .relaxed)
        self.descriptor.store(descriptor, ordering: .relaxed)
    }

    static func close() {
        descriptor.store(-1, ordering: .relaxed)
    }

    /// Only what POSIX allows in a handler: atomics, `write`, `_exit`, and what gives a terminal back.
    static let handler: @convention(c) (Int32) -> Void = { number in
        let saved = errno
        if count.add(1, ordering: .relaxed).newValue > 1 {
            TerminalRescue.perform()
            _exit(exitCode.load(ordering: .relaxed))
        }
        var byte = UInt8(truncatingIfNeeded: number)
        _ = unsafe write(descriptor.load(ordering: .relaxed), &byte, 1)
        errno = saved
    }
}
