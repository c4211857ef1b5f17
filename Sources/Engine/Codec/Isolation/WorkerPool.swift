import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import Dispatch
import TaskFlow

/// The pool of a codec's worker processes: it owns them and hands them out.
///
/// A thread that has taken a worker holds it alone, and returns it or reports its end. The keeper holds all
/// other workers. It is a thread that starts with the first request, and has workers forked and ended. The
/// process from which they are forked belongs to the keeper alone.
final class WorkerPool: Sendable {
    struct State {
        var roster: WorkerRoster
        var template: WorkerTemplate?
        /// The number of templates started so far.
        var templates = 0
        var processes: [Int: WorkerProcess] = [:]
        var waits: [Int: WorkerWait] = [:]
        var lastTicket = 0
        /// Wakes the keeper; `nil` before it has started.
        var event: WakeUp?
        /// The reason why the last start failed.
        var failure = "it ended immediately"
        /// The resource that this process lacked when the last start failed; `nil` for any other reason.
        var shortage: SystemError?
    }

    private enum Step {
        case take(WorkerProcess)
        case wait(Int, WorkerWait)
        case refuse(CalotypeError)
    }

    let configuration: WorkerConfiguration
    /// The maximum number of workers.
    let mostWorkers: Int
    let state: Guarded<State>
    private let thread: ThreadExecutor
    private let scope: TaskScope
    private let clock = ContinuousClock()
    private let beginning = ContinuousClock().now

    /// Creates a pool without workers, in which up to `most` may work at a time.
    init(_ configuration: WorkerConfiguration, most: Int, niceness: Int) {
        self.configuration = configuration
        let rules = WorkerRoster.Rules(
            most: max(1, most),
            spares: max(0, configuration.spares),
            kept: max(0, configuration.kept),
            idleTime: configuration.idleTime
        )
        mostWorkers = rules.most + rules.spares
        state = Guarded(State(roster: WorkerRoster(rules)))
        // Workers inherit the niceness of the thread that starts them.
        thread = ThreadExecutor(name: "decode-keeper", threads: 1, niceness: niceness)
        scope = TaskScope(executor: thread)
    }

    /// The number of worker processes.
    var count: Int { state.withLock { $0.processes.count } }

    /// The number of worker processes started so far.
    var started: Int { state.withLock { $0.roster.entered } }

    /// The number of templates started so far.
    var templatesStarted: Int { state.withLock { $0.templates } }

    /// Starts the permanent workers.
    func start() throws {
        if configuration.kept > 0 { try startKeeper() }
    }

    /// Ends all workers, and returns when none is left; waits for those at work.
    func shutdown() async {
        let (waits, event) = state.withLock { state in
            let tickets = state.roster.close()
            return (tickets.compactMap { state.waits.removeValue(forKey: $0) }, state.event)
        }
        for wait in waits { wait.end(.failed(Self.closed)) }
        event?.wake()
        await scope.end(.drain)
        await thread.shutdown()
    }

    /// Waits for a worker, until the switch is pulled.
    ///
    /// - Throws: The reason why the switch was pulled; `decoder_unavailable`.
    func take(_ killSwitch: KillSwitch) throws -> WorkerProcess {
        let event = try startKeeper()
        let (step, isShort) = state.withLock { state -> (Step, Bool) in
            let step = nextStep(&state)
            return (step, state.roster.isShort)
        }
        if isShort { event.wake() }
        switch step {
        case .take(let worker): return worker
        case .refuse(let error): throw error
        case .wait(let ticket, let wait):
            defer { killSwitch.rest() }
            return try blocked(ticket, wait, killSwitch)
        }
    }

    /// Takes back a worker that has done its job.
    func giveBack(_ worker: WorkerProcess) {
        if worker.isWorn(configuration) {
            ended(worker)
            return
        }
        worker.tidy()
        let now = now
        let (wait, event) = state.withLock { state -> (WorkerWait?, WakeUp?) in
            let wait = state.roster.ready(worker.id, now: now).flatMap { state.waits.removeValue(forKey: $0) }
            // The keeper need not know about an idle worker, unless it must be ended.
            return (wait, state.roster.isClosed ? state.event : nil)
        }
        wait?.end(.worker(worker))
        event?.wake()
    }

    /// Ends a worker that was taken and cannot be returned.
    @discardableResult
    func ended(_ worker: WorkerProcess) -> WorkerEnd {
        let end = worker.end()
        let now = now
        let event = state.withLock { state in
            state.processes[worker.id] = nil
            // The worker ended during its job, so no waiter has to be refused.
            _ = state.roster.gone(worker.id, now: now)
            return state.event
        }
        event?.wake()
        return end
    }

    @discardableResult
    private func startKeeper() throws -> WakeUp {
        let (known, isClosed) = state.withLock { ($0.event, $0.roster.isClosed) }
        if isClosed { throw Self.closed }
        if let known { return known }
        guard configuration.program != .itself || DecoderWorker.isOffered else {
            throw unavailable("main must call DecoderWorker.serveIfAsked() before anything else")
        }
        let event = try WakeUp()
        let other = state.withLock { state in
            defer { if state.event == nil { state.event = event } }
            return state.event
        }
        if let other { return other }
        try thread.start()
        try scope.start(name: "worker keeper") { self.keep(event) }
        return event
    }

    private func nextStep(_ state: inout State) -> Step {
        state.lastTicket += 1
        switch state.roster.take(state.lastTicket, now: now) {
        case .take(let id):
            guard let worker = state.processes[id] else { preconditionFailure("no process for worker \(id)") }
            return .take(worker)
        case .wait:
            let wait = WorkerWait()
            state.waits[state.lastTicket] = wait
            return .wait(state.lastTicket, wait)
        case .refuse:
            return .refuse(state.roster.isClosed ? Self.closed : unavailable(state.failure, state.shortage))
        }
    }

    private func blocked(_ ticket: Int, _ wait: WorkerWait, _ killSwitch: KillSwitch) throws -> WorkerProcess
    {
        do {
            try killSwitch.guards(wait)
            while true {
                switch wait.value {
                case .worker(let worker): return worker
                case .failed(let error): throw error
                case nil: wait.block(killSwitch.timeLeft)
                }
                try killSwitch.check()
            }
        } catch {
            leave(ticket, wait)
            throw error
        }
    }

    /// Ends a wait whose worker is no longer wanted.
    ///
    /// A worker that arrived in the meantime goes to the next waiter.
    private func leave(_ ticket: Int, _ wait: WorkerWait) {
        let waited = state.withLock { state in
            state.roster.cancel(ticket)
            return state.waits.removeValue(forKey: ticket)
        }
        if waited == nil, case .worker(let worker) = wait.value { giveBack(worker) }
    }

    var now: Duration { clock.now - beginning }

    private static var closed: CalotypeError {
        CalotypeError(.decoderUnavailable, "the codec has been shut down", stage: .decode)
    }

    func unavailable(_ reason: String, _ shortage: SystemError? = nil) -> CalotypeError {
        CalotypeError(
            .decoderUnavailable,
            "no worker process for decoding could be started from \(configuration.program.path): \(reason)",
            stage: .decode,
            cause: shortage
        )
    }
}

/// A wait for a worker, on a thread that blocks.
final class WorkerWait: Sendable, Stoppable {
    /// The outcome of the wait.
    enum Outcome {
        case worker(WorkerProcess)
        case failed(CalotypeError)
    }

    private let outcome = Guarded<Outcome?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Ends the wait.
    func end(_ outcome: Outcome) {
        self.outcome.withLock { $0 = outcome }
        semaphore.signal()
    }

    /// Ends the wait without an outcome.
    func stop() {
        semaphore.signal()
    }

    /// Blocks until the wait ends, at most `limit`.
    func block(_ limit: Duration) {
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
        _ = semaphore.wait(timeout: .now() + seconds)
    }

    /// The outcome, if there is one.
    var value: Outcome? { outcome.withLock { $0 } }
}
