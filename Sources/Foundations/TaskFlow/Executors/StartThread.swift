package import CalotypePlatform

/// Starts a thread that runs `body`, for work that blocks and must not hold up the threads of tasks.
///
/// The caller makes sure that `body` ends.
///
/// - Parameters:
///   - name: Shown by debuggers and in `/proc`; Linux keeps 15 bytes.
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
) throws(TaskFlowError) -> SystemThread {
    TaskSchedule.current?.threadStarts(name)
    let result = SystemThread.start(isDetached: isDetached) {
        if blocksSignals { SystemThread.blockSignals() }
        SystemThread.setName(name)
        SystemThread.yield(niceness)
        body()
    }
    switch result {
    case .success(let thread): return thread
    case .failure(let failure): throw .threadNotStarted(failure.code)
    }
}
