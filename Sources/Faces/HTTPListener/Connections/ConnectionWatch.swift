import CalotypeCPOSIX
import CalotypeFiles
import CalotypePlatform
import TaskFlow

/// Accepts connections, detects clients that hang up, and closes connections of slow clients, on one thread.
///
/// The library cannot do this, because a connection that waits for the listener is outside its loop.
final class ConnectionWatch: ConnectionWatching {
    private struct State {
        var accepts = true
        /// The maximum number of connections are open, or no descriptor is left.
        var isPaused = false
        /// Whether a connection has ever received a reserved descriptor.
        ///
        /// Since then each accept first checks for a free one.
        var hasMetReserve = false
        var isEnding = false
        /// The descriptors that are read until the client closes its end, and the time limit for each.
        var lingering: [Int32: ContinuousClock.Instant] = [:]
    }

    /// The event numbers that do not belong to connections.
    private static let wakeNumber: UInt64 = 0
    private static let listenerNumber: UInt64 = 1
    /// Set in the numbers of lingering connections.
    private static let lingerBit: UInt64 = 1 << 63

    private static let lingerTime = Duration.seconds(2)
    private static let mostLingering = 256

    private let socket: ListeningSocket
    private let epoll: Int32
    private let wakeUp: WakeUp
    private let state = Guarded(State())

    /// Opens the descriptors and takes over the socket.
    ///
    /// The owner calls ``close()`` after ``run(_:)`` has returned.
    init(_ socket: ListeningSocket) throws(HTTPListenerError) {
        self.socket = socket
        do throws(SystemError) { wakeUp = try WakeUp() } catch { throw HTTPListenerError(error) }
        epoll = calotype_epoll_create()
        let readable = calotype_epoll_readable
        guard epoll >= 0,
            calotype_epoll_watch(epoll, wakeUp.descriptor, Int32(readable), 1, Self.wakeNumber) == 0,
            // Later changes modify this entry, which needs no memory.
            calotype_epoll_watch(epoll, socket.descriptor, 0, 0, Self.listenerNumber) == 0
        else {
            let cause = SystemError("watch connections")
            if epoll >= 0 { CalotypePlatform.close(epoll) }
            wakeUp.close()
            throw HTTPListenerError(cause)
        }
    }

    /// Closes the descriptors.
    func close() {
        let (accepts, lingering) = state.withLock { state in
            defer {
                state.accepts = false
                state.lingering = [:]
            }
            return (state.accepts, Array(state.lingering.keys))
        }
        for descriptor in lingering { CalotypePlatform.close(descriptor) }
        if accepts { socket.close() }
        CalotypePlatform.close(epoll)
        wakeUp.close()
    }

    /// Watches the connections until ``end()``; blocks the calling thread.
    ///
    /// - Parameters:
    ///   - core: What it shares with the rest of the listener.
    ///   - inboxes: The threads that take the connections, at least one.
    func run(_ core: ListenerCore, _ inboxes: [LoopInbox]) {
        var numbers = [UInt64](repeating: 0, count: Int(calotype_epoll_batch))
        var generation: UInt64 = 1
        var nextLook = ContinuousClock.now
        armListener()
        while !state.withLock({ $0.isEnding }) {
            let count = unsafe calotype_epoll_wait(epoll, &numbers, patience(core))
            for number in numbers.prefix(max(0, Int(count))) {
                switch number {
                case Self.wakeNumber:
                    wakeUp.take()
                    resume(core)
                case Self.listenerNumber: accept(core, inboxes, &generation)
                case let number where number & Self.lingerBit != 0:
                    readOn(Int32(truncatingIfNeeded: number))
                default: hungUp(number, core)
                }
            }
            if core.isDraining { closeListener(core, inboxes, &generation) }
            let now = ContinuousClock.now
            guard now >= nextLook else { continue }
            nextLook = now + interval(core) / 2
            look(core, now)
        }
    }

    /// Makes ``run(_:)`` return.
    func end() {
        state.withLock { $0.isEnding = true }
        wakeUp.wake()
    }

    package func stopAccepting() {
        wakeUp.wake()
    }

    package func connectionEnded() {
        if state.withLock({ $0.isPaused }) { wakeUp.wake() }
    }

    package func linger(_ descriptor: Int32) -> Bool {
        let isKept = state.withLock { state in
            guard !state.isEnding, state.lingering.count < Self.mostLingering else { return false }
            state.lingering[descriptor] = .now + Self.lingerTime
            return true
        }
        if isKept {
            shutdown(descriptor, Int32(SHUT_WR))
            watch(
                descriptor,
                calotype_epoll_readable,
                UInt64(UInt32(bitPattern: descriptor)) | Self.lingerBit
            )
        }
        return isKept
    }

    // MARK: Accepting

    private func armListener() {
        watch(socket.descriptor, calotype_epoll_readable, Self.listenerNumber)
    }

    private func accept(_ core: ListenerCore, _ inboxes: [LoopInbox], _ generation: inout UInt64) {
        guard state.withLock({ $0.accepts }) else { return }
        while hasRoom(core) {
            switch socket.accept() {
            case .connection(let descriptor, let address):
                if descriptor >= core.firstReserved { state.withLock { $0.hasMetReserve = true } }
                generation = (generation &+ 1) & 0x7FFF_FFFF
                let number = max(generation, 1) << 32 | UInt64(UInt32(bitPattern: descriptor))
                // The thread with the fewest connections.
                let inbox = inboxes.dropFirst().reduce(inboxes[0]) { $1.load < $0.load ? $1 : $0 }
                admit(ClientConnection(descriptor, number, address, inbox, core.limits), core)
            case .none: return armListener()
            case .exhausted: return pause()
            }
        }
        pause()
    }

    private func admit(_ client: ClientConnection, _ core: ListenerCore) {
        let descriptor = client.descriptor
        guard core.connections.insert(client, limit: core.configuration.connectionsPerAddress) else {
            CalotypePlatform.close(descriptor)
            return
        }
        // A client whose hang-up would go unnoticed is not served; the system is out of memory.
        guard watch(descriptor, calotype_epoll_hang_up, client.number) else {
            core.connections.remove(client)
            CalotypePlatform.close(descriptor)
            return
        }
        client.inbox.adopt(client)
    }

    /// Whether another connection is allowed and would leave the reserved descriptors free.
    private func hasRoom(_ core: ListenerCore) -> Bool {
        guard core.connections.count < core.configuration.connections else { return false }
        guard state.withLock({ $0.hasMetReserve }) else { return true }
        // The system returns the lowest free descriptor.
        let next = fcntl(wakeUp.descriptor, F_DUPFD_CLOEXEC, 0)
        if next >= 0 { CalotypePlatform.close(next) }
        return next >= 0 && next < core.firstReserved
    }

    /// Stops accepting until a connection ends or the next check.
    private func pause() {
        state.withLock { $0.isPaused = true }
    }

    /// Accepts again after a pause, if there is room.
    private func resume(_ core: ListenerCore) {
        guard state.withLock({ $0.isPaused }), hasRoom(core) else { return }
        let resumes = state.withLock { state in
            defer { state.isPaused = false }
            return state.isPaused && state.accepts
        }
        if resumes { armListener() }
    }

    private func closeListener(
        _ core: ListenerCore,
        _ inboxes: [LoopInbox],
        _ generation: inout UInt64
    ) {
        guard state.withLock({ $0.accepts }) else { return }
        // Clients whose connections wait here expect a response.
        accept(core, inboxes, &generation)
        state.withLock { $0.accepts = false }
        socket.close()
    }

    // MARK: Watching

    private func hungUp(_ number: UInt64, _ core: ListenerCore) {
        guard let client = core.connections[Int32(truncatingIfNeeded: number)], client.number == number else {
            return
        }
        client.hungUp()
    }

    private func look(_ core: ListenerCore, _ now: ContinuousClock.Instant) {
        let isDraining = core.isDraining
        for client in core.connections.clients { client.look(now, isDraining: isDraining, name: core.name) }
        let over = state.withLock { state in
            let over = state.lingering.filter { $0.value <= now }.map(\.key)
            for descriptor in over { state.lingering[descriptor] = nil }
            return over
        }
        for descriptor in over { CalotypePlatform.close(descriptor) }
        // A descriptor that does not belong to the listener may be free again.
        resume(core)
    }

    private func readOn(_ descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        var count = 0
        repeat { count = unsafe recv(descriptor, &bytes, bytes.count, 0) } while count > 0
        if count < 0, errno == EAGAIN || errno == EINTR {
            watch(
                descriptor,
                calotype_epoll_readable,
                UInt64(UInt32(bitPattern: descriptor)) | Self.lingerBit
            )
        } else if state.withLock({ $0.lingering.removeValue(forKey: descriptor) }) != nil {
            CalotypePlatform.close(descriptor)
        }
    }

    /// Requests one event.
    ///
    /// Returns `false` if the system has no memory for it.
    @discardableResult
    private func watch(_ descriptor: Int32, _ interest: Int, _ number: UInt64) -> Bool {
        calotype_epoll_watch(epoll, descriptor, Int32(interest), 0, number) == 0
    }

    // MARK: Waiting

    /// The interval between checks for slow clients, short enough to detect them approximately on time.
    private func interval(_ core: ListenerCore) -> Duration {
        if core.isDraining { return .milliseconds(20) }
        let limits = core.limits
        let shortest = min(limits.idle, limits.head, limits.keepAlive)
        return max(.milliseconds(10), min(.seconds(1), shortest / 8))
    }

    /// The time to wait in milliseconds; -1 if there is no deadline.
    private func patience(_ core: ListenerCore) -> Int32 {
        let isIdle = core.connections.count == 0 && state.withLock { $0.lingering.isEmpty && !$0.isPaused }
        guard !isIdle else { return -1 }
        return Int32(interval(core).components.attoseconds / 1_000_000_000_000_000)
            + Int32(interval(core).components.seconds * 1000)
    }
}
