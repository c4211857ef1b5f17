import CalotypeCCurl
import CalotypeCore
import TaskFlow

/// The libcurl loop of one address policy: a command queue, and the thread that runs the commands.
///
/// Only the loop's own requests share its connections. A request that is limited to public addresses
/// therefore never reuses a connection that another policy allowed.
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

    /// Creates a loop and starts its thread.
    ///
    /// The caller must end it with ``stop()``.
    init(_ configuration: CurlConfiguration) throws(CalotypeError) {
        let multi = try MultiHandle(configuration)
        self.multi = multi
        do {
            try startThread(named: "http", blocksSignals: true, isDetached: true) {
                CurlLoopThread(self, multi, configuration).run()
                self.ended()
            }
        } catch {
            throw Self.noThread
        }
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

    /// Queues `command`, and wakes the thread if the queue was empty.
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

    /// Aborts all transfers, closes all connections, and returns when the thread has ended.
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

    /// Returns the commands since the last call, and whether the loop must stop.
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
            "no thread could be created for the network",
            stage: .connect
        )
    }
}

/// The work and the private state of the thread of a ``CurlLoop``.
struct CurlLoopThread: ~Copyable {
    private let loop: CurlLoop
    private let multi: MultiHandle
    private let configuration: CurlConfiguration
    private var active: [ObjectIdentifier: EasyHandle] = [:]
    /// Handles without a transfer, at most ``CurlConfiguration/idleConnections``.
    private var spare: [EasyHandle] = []
    private let timer = SweepTimer()
    private let deliveries = DeliveryList()

    init(_ loop: CurlLoop, _ multi: MultiHandle, _ configuration: CurlConfiguration) {
        self.loop = loop
        self.multi = multi
        self.configuration = configuration
    }

    /// Performs transfers until the loop stops.
    consuming func run() {
        while carryOutCommands() {
            multi.perform()
            deliveries.deliver()
            while let (handle, code) = multi.nextFinished() { finish(handle, handle.outcome(code)) }
            sweep(.now)
            multi.wait(timer.patience(.now))
        }
        for handle in active.values { finish(handle, .failure(CurlTransport.closedError)) }
        spare = []
        multi.close()
    }

    /// Runs the queued commands.
    ///
    /// Returns `false` when the loop must stop.
    private mutating func carryOutCommands() -> Bool {
        let (commands, stops) = loop.takeCommands()
        for command in commands {
            switch command {
            case .start(let transfer): start(transfer)
            case .resume(let transfer): active[ObjectIdentifier(transfer)]?.resume()
            case .resumeSending(let transfer): active[ObjectIdentifier(transfer)]?.resumeSending()
            case .cancel(let transfer):
                guard let handle = active[ObjectIdentifier(transfer)] else { continue }
                finish(handle, .failure(CancellationError()))
            }
        }
        return !stops
    }

    private mutating func start(_ transfer: Transfer) {
        guard let handle = spare.popLast() ?? multi.makeEasyHandle(configuration, timer, deliveries) else {
            loop.transferEnded()
            transfer.finish(.failure(Self.noMemory))
            return
        }
        handle.begin(transfer)
        active[ObjectIdentifier(transfer)] = handle
        if !multi.add(handle) { finish(handle, .failure(Self.noMemory)) }
    }

    private mutating func finish(_ handle: EasyHandle, _ result: Result<Void, any Error>) {
        guard let transfer = handle.transfer else { return }
        active[ObjectIdentifier(transfer)] = nil
        multi.remove(handle)
        if spare.count < configuration.idleConnections { spare.append(handle) }
        loop.transferEnded()
        handle.end(result)
    }

    /// Ends the transfers that have taken too long.
    private mutating func sweep(_ now: ContinuousClock.Instant) {
        guard timer.isDue(now) else { return }
        for handle in active.values {
            if let error = handle.expire(now) { finish(handle, .failure(error)) }
        }
    }

    private static var noMemory: CalotypeError {
        CalotypeError(.resourceShortage, "not enough memory for the transfer", stage: .connect)
    }
}

/// The time of the next timeout check for the transfers of a loop.
///
/// It is never later than the earliest deadline, but it may be earlier: a transfer that makes progress
/// postpones its own deadline, and the timer recomputes nothing until the old deadline arrives. A timer never
/// leaves its loop's thread.
final class SweepTimer {
    typealias Instant = ContinuousClock.Instant

    private(set) var next: Instant?

    /// Ensures a check at `deadline`, if there is one.
    func cover(_ deadline: Instant?) {
        guard let deadline else { return }
        next = next.map { min($0, deadline) } ?? deadline
    }

    /// Whether a check is due at `now`.
    ///
    /// If so, the caller must report all deadlines again.
    func isDue(_ now: Instant) -> Bool {
        guard let next, now >= next else { return false }
        self.next = nil
        return true
    }

    /// The milliseconds until the next check, up to a minute.
    func patience(_ now: Instant) -> Int32 {
        guard let next else { return 60_000 }
        let left = ((next - now) / .milliseconds(1)).rounded(.up)
        return Int32(min(max(left, 0), 60_000))
    }
}

/// The transfers whose readers wait for data that libcurl has just received.
///
/// The list wakes each reader once for all the data of one turn, because a wake-up costs as much as copying
/// 100 kB. A list never leaves its loop's thread.
final class DeliveryList {
    private var transfers: [Transfer] = []

    /// Adds `transfer` once per turn.
    ///
    /// All pieces that a transfer receives in one turn arrive in succession.
    func add(_ transfer: Transfer) {
        if transfers.last !== transfer { transfers.append(transfer) }
    }

    /// Wakes the readers of the transfers in the list, and empties it.
    func deliver() {
        for transfer in transfers { transfer.deliver() }
        transfers.removeAll(keepingCapacity: true)
    }
}
