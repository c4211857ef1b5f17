import CalotypeHTTPListener
import TaskFlow
import TaskFlowTesting

/// A client of a listener, with a descriptor that no system call knows.
final class TrialClient: Sendable {
    let number: Int
    let connection: ClientConnection
    /// Set when it has closed its end.
    let departed = Latch<Void>()
    private let left = Guarded<ContinuousClock.Instant?>(nil)

    init(_ number: Int, _ core: ListenerCore, _ inbox: LoopInbox) {
        self.number = number
        connection = ClientConnection(
            1_000_000 + Int32(number),
            UInt64(number + 1) << 32,
            ClientAddress(text: "192.0.2.\(number)", group: [192, 0, 2, UInt8(number)]),
            inbox,
            core.limits
        )
    }

    /// When it closed its end.
    var departure: ContinuousClock.Instant? { left.withLock(\.self) }
    var hasLeft: Bool { departure != nil }

    func target(_ request: Int) -> String { "/\(number)/\(request)" }

    /// Closes its end, and lets the watch see it.
    func leave() {
        let isFirst = left.withLock { left in
            defer { left = left ?? .now }
            return left == nil
        }
        guard isFirst else { return }
        scheduleNote("client \(number) leaves")
        connection.hungUp()
        departed.set(())
    }
}
