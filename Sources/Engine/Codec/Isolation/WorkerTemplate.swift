import CalotypeCPOSIX
import CalotypeCore
import CalotypeFiles
import Glibc
import TaskFlow

/// The process of which workers are forked, seen from the program: it has loaded what they need, and never sees a picture.
final class WorkerTemplate: Sendable {
    private struct State {
        /// Whether it has said that it is ready.
        var isReady = false
        /// Whether it is waited for: from then on its number may be another's.
        var isAwaited = false
        /// Why it cannot be used.
        var fault: String?
        var end: WorkerEnd?
    }

    let socket: WorkerSocket
    private let process: pid_t
    private let state = Guarded(State())

    /// Starts `program`; the template, and with it all workers, lives no longer than the calling thread.
    init(_ program: WorkerProgram) throws(SystemError) {
        let (own, other) = try WorkerChannel.pair()
        socket = own.socket
        try socket.send(.template)
        process = try program.start(other)
    }

    /// Whether it has said that it is ready: before that nothing tells whether it ever will be.
    var isReady: Bool { state.withLock { $0.isReady } }

    /// Takes note that it is ready, since one of its workers is.
    func hasForked() {
        state.withLock { $0.isReady = true }
    }

    /// Hears what it says, or that it has ended.
    ///
    /// - Returns: whether it can be used.
    func hear() -> Bool {
        switch Result(catching: { () throws(SystemError) in try socket.receive() }) {
        case .success(.message(.ready(version: WorkerMessage.version, process: _))):
            state.withLock { $0.isReady = true }
            return true
        case .success(.nothing): return true
        case .success(.end), .success(.endUnread): return false
        case .success(.message), .failure:
            state.withLock { $0.fault = "it is no worker of this version" }
            return false
        }
    }

    /// Why it can be used no longer; ends it.
    var reason: String {
        let end = end()
        return state.withLock { $0.fault } ?? end.description
    }

    /// Asks for a worker with that end of a channel, on that end of a leash; it says for itself when it is ready.
    ///
    /// - Throws: `SystemError` where the template has ended, or has more to do than it can take.
    func fork(_ channel: WorkerChannel, _ leash: WorkerSocket) throws(SystemError) {
        try socket.send(.fork, [channel.socket.file, channel.memory, leash.file])
    }

    /// Ends it and its workers, without waiting for that.
    func stop() {
        state.withLock { kill(&$0) }
    }

    /// Ends it and its workers, and waits for that; called by the keeper.
    @discardableResult
    func end() -> WorkerEnd {
        let known = state.withLock { state in
            kill(&state)
            state.isAwaited = true
            return state.end
        }
        if let known { return known }
        // Blocks for as long as the system takes to clear processes away that were killed.
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
