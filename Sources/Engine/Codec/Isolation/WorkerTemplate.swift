import CalotypeCPOSIX
import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import TaskFlow

/// The process from which workers are forked, from the program's view.
///
/// It has loaded their code, and never reads a picture.
final class WorkerTemplate: Sendable {
    private struct State {
        /// Whether it has reported that it is ready.
        var isReady = false
        /// Whether it was reaped: its process number may be reused after that.
        var isAwaited = false
        /// The reason why it cannot be used.
        var fault: String?
        var end: WorkerEnd?
    }

    let socket: WorkerSocket
    private let process: pid_t
    private let state = Guarded(State())

    /// Starts `program`.
    ///
    /// The template, and with it all workers, lives no longer than the calling thread.
    init(_ program: WorkerProgram) throws(SystemError) {
        let (own, other) = try WorkerChannel.pair()
        socket = own.socket
        try socket.send(.template)
        process = try program.start(other)
    }

    /// Whether it has reported that it is ready; until then it may never become ready.
    var isReady: Bool { state.withLock { $0.isReady } }

    /// Records that it is ready, because one of its workers is.
    func hasForked() {
        state.withLock { $0.isReady = true }
    }

    /// Handles its message, or its end.
    ///
    /// - Returns: Whether it can be used.
    func hear() -> Bool {
        switch Result(catching: { () throws(SystemError) in try socket.receive() }) {
        case .success(.message(.ready(version: WorkerMessage.version, process: _))):
            state.withLock { $0.isReady = true }
            return true
        case .success(.nothing): return true
        case .success(.end), .success(.endUnread): return false
        case .success(.message), .failure:
            state.withLock { $0.fault = "it is not a worker of this version" }
            return false
        }
    }

    /// Ends the template, and returns why it can no longer be used.
    var reason: String {
        let end = end()
        return state.withLock { $0.fault } ?? end.description
    }

    /// Requests a worker with this end of a channel and this end of a leash.
    ///
    /// The worker itself reports when it is ready.
    ///
    /// - Throws: `SystemError` if the template has ended, or cannot accept more work.
    func fork(_ channel: WorkerChannel, _ leash: WorkerSocket) throws(SystemError) {
        try socket.send(.fork, [channel.socket.file, channel.memory, leash.file])
    }

    /// Ends it and its workers, without waiting.
    func stop() {
        state.withLock { kill(&$0) }
    }

    /// Ends it and its workers, and waits for their end; called by the keeper.
    @discardableResult
    func end() -> WorkerEnd {
        let known = state.withLock { state in
            kill(&state)
            state.isAwaited = true
            return state.end
        }
        if let known { return known }
        // Blocks while the system cleans up the killed processes.
        var status: Int32 = 0
        let signal = unsafe cworker_wait(process, &status)
        let end = signal == 0 ? WorkerEnd.status(status) : .signal(signal)
        state.withLock { $0.end = end }
        return end
    }

    private func kill(_ state: inout State) {
        if !state.isAwaited { _ = cworker_kill_group(process) }
    }
}
