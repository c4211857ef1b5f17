import Glibc
internal import TaskFlow

/// Starts a thread that runs `body` with all signals blocked; whoever calls sees to it that `body` ends.
///
/// - Parameters:
///   - name: Shown by debuggers and in `/proc`, at most 15 bytes.
///   - body: What the thread does.
/// - Returns: `false` when the system gives no thread.
func startThread(named name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    TaskSchedule.current?.threadStarts(name)
    let context = unsafe Unmanaged.passRetained(ThreadStart(name: name, body: body))
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let status = unsafe pthread_create(&thread, &attributes, enter, context.toOpaque())
    if status != 0 { unsafe context.release() }
    return status == 0
}

private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func enter(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // Signals are for the threads of whoever uses the library; SIGPIPE would end the process.
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
    if let context = unsafe context {
        let start = unsafe Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
        nameThread(start.name)
        start.body()
    }
    return nil
}

private func nameThread(_ name: String) {
    // Glibc's Swift module has no pthread_setname_np; this file is the same thing.
    let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    let bytes = Array(name.utf8.prefix(15))
    _ = unsafe write(file, bytes, bytes.count)
    close(file)
}
