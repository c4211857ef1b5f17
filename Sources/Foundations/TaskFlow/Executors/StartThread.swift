package import Glibc

/// Starts a thread that runs `body`, for work that blocks and must not hold up the threads of tasks.
///
/// The caller makes sure that `body` ends.
///
/// - Parameters:
///   - name: Shown by debuggers and in `/proc`, at most 15 bytes.
///   - niceness: How far the thread yields when processors are scarce, from 0 (not at all) to 19.
///   - blocksSignals: Whether signals go to other threads only; SIGPIPE then does not end the process.
///   - isDetached: Whether the thread's resources are freed when it ends; if not, join it.
///   - body: The work.
/// - Returns: The thread.
/// - Throws: `thread_not_started` if the system creates no thread.
@discardableResult
package func startThread(
    named name: String,
    niceness: Int = 0,
    blocksSignals: Bool = false,
    isDetached: Bool = false,
    _ body: @escaping @Sendable () -> Void
) throws(TaskFlowError) -> pthread_t {
    TaskSchedule.current?.threadStarts(name)
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    if isDetached { unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) }
    let start = ThreadStart(name: name, niceness: niceness, blocksSignals: blocksSignals, body: body)
    let context = unsafe Unmanaged.passRetained(start)
    var thread = pthread_t()
    let status = unsafe pthread_create(&thread, &attributes, enter, context.toOpaque())
    guard status == 0 else {
        unsafe context.release()
        throw .threadNotStarted(status)
    }
    return thread
}

/// What a new thread sets up before it runs its body.
private final class ThreadStart: Sendable {
    private let name: String
    private let niceness: Int
    private let blocksSignals: Bool
    private let body: @Sendable () -> Void

    init(name: String, niceness: Int, blocksSignals: Bool, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.niceness = niceness
        self.blocksSignals = blocksSignals
        self.body = body
    }

    func run() {
        if blocksSignals {
            var all = sigset_t()
            unsafe sigfillset(&all)
            unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
        }
        nameThread()
        // Linux applies it to this thread only; on a system that does not, the thread runs like the others.
        if niceness > 0 { _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, Int32(min(niceness, 19))) }
        body()
    }

    /// Sets the thread's name through the kernel.
    ///
    /// Glibc's Swift module has neither `pthread_setname_np` nor `prctl`.
    private func nameThread() {
        let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        let bytes = Array(name.utf8.prefix(15))
        _ = unsafe write(file, bytes, bytes.count)
        close(file)
    }
}

private func enter(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context = unsafe context {
        unsafe Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue().run()
    }
    return nil
}
