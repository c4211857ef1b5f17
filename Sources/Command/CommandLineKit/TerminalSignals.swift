package import CalotypePlatform
import Synchronization

/// The signals that matter to a process with a full-screen terminal.
///
/// Signals about the terminal (its size, Ctrl-Z, the return from it) are stored until ``take()`` and
/// announced by an event counter. Signals that end the process restore the terminal first and then take their
/// previous action. SIGINT and similar signals belong to these only while nobody handles them. Ignored
/// signals stay ignored. A process has one such set of handlers.
package enum TerminalSignals {
    private static let reports = [SIGWINCH, SIGTSTP, SIGCONT]
    private static let endings = [
        SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPIPE,
        SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ,
    ]
    /// Signals whose handlers, if any, also end the process.
    private static let crashes = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

    private static let arrived = Atomic<UInt64>(0)
    private static let descriptor = Atomic<Int32>(-1)
    // SAFETY: allocated once and never freed; an entry is written before the handler of its signal is set.
    private nonisolated(unsafe) static let before: UnsafeMutablePointer<sigaction> = {
        let table = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
        unsafe table.initialize(repeating: sigaction(), count: 65)
        return unsafe table
    }()

    /// Installs the handlers.
    ///
    /// - Parameter descriptor: A non-blocking event counter, which receives 1 for each report.
    package static func install(reportingTo descriptor: Int32) {
        // A handler must not be the first to access what it uses.
        TerminalRescue.prepare()
        arrived.store(0, ordering: .relaxed)
        self.descriptor.store(descriptor, ordering: .relaxed)
        for number in reports where action(of: number) != .ignored { set(report, for: number, SA_RESTART) }
        for number in endings {
            let current = action(of: number)
            guard current == .standard || current == .handled && crashes.contains(number) else { continue }
            set(ending, for: number, SA_ONSTACK)
        }
    }

    /// Restores the previous handlers of all signals.
    package static func uninstall() {
        for number in reports + endings where isOurs(current(number)) {
            _ = unsafe sigaction(number, before + Int(number), nil)
        }
        descriptor.store(-1, ordering: .relaxed)
    }

    /// Returns the reports since the last call.
    package static func take() -> Set<Int32> {
        let bits = arrived.exchange(0, ordering: .relaxed)
        return Set(reports.filter { bits & 1 << UInt64($0) != 0 })
    }

    /// Unblocks the signals that end or stop the process for the calling thread, which may have inherited a
    /// mask.
    package static func unblock() {
        var numbers = sigset_t()
        unsafe sigemptyset(&numbers)
        for number in reports + endings + [SIGTTIN, SIGTTOU] { unsafe sigaddset(&numbers, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
    }

    /// Stops the process as Ctrl-Z does, and returns when it continues; call ``unblock()`` on this thread
    /// first.
    package static func stop() {
        var standard = sigaction()
        standard.handler = SIG_DFL
        var ours = sigaction()
        _ = unsafe sigaction(SIGTSTP, &standard, &ours)
        raise(SIGTSTP)
        _ = unsafe sigaction(SIGTSTP, &ours, nil)
    }

    private enum Action {
        case standard, ignored, handled
    }

    private static func action(of number: Int32) -> Action {
        let handler = current(number).handler
        guard let handler else { return .standard }
        return unsafe unsafeBitCast(handler, to: Int.self) == 1 ? .ignored : .handled
    }

    private static func current(_ number: Int32) -> sigaction {
        var current = sigaction()
        _ = unsafe sigaction(number, nil, &current)
        return current
    }

    private static func set(_ handler: @convention(c) (Int32) -> Void, for number: Int32, _ flags: Int32) {
        var new = sigaction()
        new.handler = handler
        new.sa_flags = flags
        _ = unsafe sigaction(number, &new, before + Int(number))
    }

    private static func isOurs(_ action: sigaction) -> Bool {
        guard let handler = action.handler else { return false }
        let address = unsafe unsafeBitCast(handler, to: Int.self)
        return unsafe address == unsafeBitCast(report, to: Int.self)
            || address == unsafeBitCast(ending, to: Int.self)
    }

    private static let report: @convention(c) (Int32) -> Void = { number in
        let saved = errno
        arrived.bitwiseOr(1 << UInt64(number), ordering: .relaxed)
        var one: UInt64 = 1
        _ = unsafe write(descriptor.load(ordering: .relaxed), &one, MemoryLayout<UInt64>.size)
        errno = saved
    }

    private static let ending: @convention(c) (Int32) -> Void = { number in
        TerminalRescue.perform()
        _ = unsafe sigaction(number, before + Int(number), nil)
        // The signal is blocked here; after the handler returns it arrives again, now with its previous
        // action.
        raise(number)
    }
}

/// Restores a full-screen terminal if the process ends suddenly, by a second interruption or a crash.
///
/// A signal handler may call it, so everything is prepared in advance. A process has one terminal.
package enum TerminalRescue {
    private static let isArmed = Atomic<Bool>(false)
    private static let input = Atomic<Int32>(-1)
    private static let output = Atomic<Int32>(-1)
    private static let byteCount = Atomic<Int>(0)
    private static let capacity = 128
    // SAFETY: allocated once and never freed; written before `isArmed` is set and while none of our handlers
    // is installed.
    private nonisolated(unsafe) static let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    // SAFETY: as above.
    private nonisolated(unsafe) static let modes = UnsafeMutablePointer<termios>.allocate(capacity: 1)

    /// Prepares the restoration of the terminal.
    ///
    /// - Parameters:
    ///   - input: The descriptor whose modes are set.
    ///   - modes: The modes to set.
    ///   - output: The descriptor to write to; it should not block.
    ///   - bytes: The bytes to write, at most 128.
    package static func arm(input: Int32, modes: termios, output: Int32, bytes: [UInt8]) {
        precondition(bytes.count <= capacity, "\(bytes.count) bytes are too many")
        unsafe self.modes.initialize(to: modes)
        for (index, byte) in bytes.enumerated() { unsafe (self.bytes + index).initialize(to: byte) }
        byteCount.store(bytes.count, ordering: .relaxed)
        self.input.store(input, ordering: .relaxed)
        self.output.store(output, ordering: .relaxed)
        isArmed.store(true, ordering: .releasing)
    }

    /// Creates what a signal handler uses, because a handler must not be the first to access it.
    package static func prepare() {
        unsafe withExtendedLifetime((bytes, modes)) {}
        _ = isArmed.load(ordering: .relaxed)
    }

    /// Cancels the preparation, because the terminal was restored or is about to be closed.
    package static func disarm() {
        isArmed.store(false, ordering: .sequentiallyConsistent)
    }

    /// Restores the terminal if it is prepared; does only what POSIX allows in a signal handler.
    package static func perform() {
        guard isArmed.load(ordering: .acquiring) else { return }
        let count = byteCount.load(ordering: .relaxed)
        let descriptor = output.load(ordering: .relaxed)
        var written = 0
        // Waits at most a quarter of a second for a blocked terminal.
        var patience = 5
        while written < count, patience > 0 {
            let result = unsafe write(descriptor, bytes + written, count - written)
            if result > 0 {
                written += result
            } else {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&entry, 1, 50)
                patience -= 1
            }
        }
        _ = unsafe tcsetattr(input.load(ordering: .relaxed), TCSANOW, modes)
    }
}
