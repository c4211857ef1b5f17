internal import Glibc

/// What a POSIX thread runs, and what it is called.
final class ThreadBody: Sendable {
    private let name: String
    private let niceness: Int
    private let run: @Sendable () -> Void

    init(name: String, niceness: Int = 0, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.niceness = niceness
        self.run = run
    }

    /// Creates the thread and returns `pthread_create`'s status, zero for success.
    func launch(_ thread: UnsafeMutablePointer<pthread_t>) -> Int32 {
        TaskSchedule.current?.threadStarts(name)
        let context = unsafe Unmanaged.passRetained(self)
        let status = unsafe pthread_create(thread, nil, threadEntry, context.toOpaque())
        if status != 0 { unsafe context.release() }
        return status
    }

    fileprivate func enter() {
        Self.nameThisThread(name)
        // Linux takes it for the one thread; a system that does not lets it run as the others do.
        if niceness > 0 { _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, Int32(min(niceness, 19))) }
        run()
    }

    /// Glibc's Swift module has neither `pthread_setname_np` nor `prctl`; the kernel takes the name here too.
    private static func nameThisThread(_ name: String) {
        let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        let bytes = Array(name.utf8.prefix(15))
        unsafe bytes.withUnsafeBytes { _ = unsafe write(file, $0.baseAddress, $0.count) }
        close(file)
    }
}

private func threadEntry(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context = unsafe context {
        unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().enter()
    }
    return nil
}
