import CalotypeCCurl
import CalotypeCCurlShim
import CalotypeCore
import TaskFlow

/// The libcurl loop of one address policy: a queue of commands, and the thread that carries them out.
///
/// Its connections are shared by its requests and by nobody else, so that a request for public addresses only never
/// finds a connection that another policy let be made.
final class CurlLoop: Sendable {
    enum Command {
        case start(Transfer)
        case resume(Transfer)
        case resumeSending(Transfer)
        case cancel(Transfer)
    }

    struct Snapshot {
        var transfers = 0
        var queuedCommands = 0
        var openConnections = 0
    }

    private struct State {
        var commands: [Command] = []
        var transfers = 0
        var isStopping = false
        var hasEnded = false
        var endWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())
    private let multi: MultiHandle

    /// Creates a loop and starts its thread; whoever calls ends it by ``stop()``.
    init(_ configuration: CurlConfiguration) throws(CalotypeError) {
        let multi = try MultiHandle(configuration)
        self.multi = multi
        let isRunning = startThread(named: "http") {
            CurlLoopThread(self, multi, configuration).run()
            self.ended()
        }
        if !isRunning { throw Self.noThread }
    }

    var snapshot: Snapshot {
        let openConnections = multi.openSockets
        return state.withLock {
            Snapshot(
                transfers: $0.transfers,
                queuedCommands: $0.commands.count,
                openConnections: openConnections
            )
        }
    }

    /// Queues `command`; the thread is woken only where the queue was empty.
    func submit(_ command: Command) {
        let (wakes, refused) = state.withLock { state -> (Bool, Transfer?) in
            if case .start(let transfer) = command {
                guard !state.isStopping else { return (false, transfer) }
                state.transfers += 1
            }
            guard !state.hasEnded else { return (false, nil) }
            state.commands.append(command)
            return (state.commands.count == 1, nil)
        }
        if wakes { multi.wake() }
        refused?.finish(.failure(CurlTransport.closedError))
    }

    /// Cuts off all transfers, closes all connections, and returns when the thread is through.
    func stop() async {
        await withCheckedContinuation { waiter in
            let hasEnded = state.withLock { state in
                state.isStopping = true
                if !state.hasEnded { state.endWaiters.append(waiter) }
                return state.hasEnded
            }
            if hasEnded { waiter.resume() } else { multi.wake() }
        }
    }

    // MARK: The thread's side

    /// The commands since the last call, and whether the loop is to end.
    func takeCommands() -> (commands: [Command], stops: Bool) {
        state.withLock { state in
            defer { state.commands = [] }
            return (state.commands, state.isStopping)
        }
    }

    func transferEnded() {
        state.withLock { $0.transfers -= 1 }
    }

    private func ended() {
        let waiters = state.withLock { state in
            state.hasEnded = true
            state.commands = []
            return state.endWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private static var noThread: CalotypeError {
        CalotypeError(
            .resourceShortage,
            "the system gives no thread for the network",
            stage: .connect
        )
    }
}
