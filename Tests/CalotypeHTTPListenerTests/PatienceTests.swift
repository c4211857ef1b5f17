import CalotypeCMicroHTTPD
import Testing

@testable import CalotypeHTTPListener

/// When a client is found too slow, by the second.
@Suite
struct PatienceTests {
    private let start = ContinuousClock.now
    private let limits = ClientPatience.Limits(
        idle: .seconds(10),
        keepAlive: .seconds(90),
        head: .seconds(20),
        idleBytes: 1000
    )

    /// What is said of looks at these seconds, with what was received, taken and pending then.
    private func verdicts(
        _ patience: inout ClientPatience,
        _ turn: ClientPatience.Turn,
        isDraining: Bool = false,
        _ looks: [(second: Double, received: UInt64, taken: UInt64, pending: UInt64)]
    ) -> [ClientPatience.Verdict] {
        looks.map { look in
            let counts = calotype_tcp_counts(
                received: look.received,
                taken: look.taken,
                pending: look.pending
            )
            return patience.look(counts, turn, start + .seconds(look.second), isDraining: isDraining)
        }
    }

    @Test func `a connection that sends nothing is closed after the idle time`() {
        var patience = ClientPatience(limits, now: start)
        let verdicts = verdicts(&patience, .betweenRequests, [(5, 0, 0, 0), (9.9, 0, 0, 0), (10, 0, 0, 0)])
        #expect(verdicts == [.wait, .wait, .close])
    }

    @Test func `a head has its time from its first byte, however it comes`() {
        var patience = ClientPatience(limits, now: start)
        let looks: [(Double, UInt64, UInt64, UInt64)] = [
            (9, 1, 0, 0), (20, 2000, 0, 0), (28.9, 5000, 0, 0), (29, 9000, 0, 0),
        ]
        #expect(verdicts(&patience, .betweenRequests, looks) == [.wait, .wait, .wait, .refuseHead])
    }

    @Test func `a client that has received a response may wait longer`() {
        var patience = ClientPatience(limits, now: start)
        patience.headCame(100)
        patience.requestEnded(start + .seconds(5))
        let looks: [(Double, UInt64, UInt64, UInt64)] = [
            (50, 100, 900, 0), (94, 100, 900, 0), (95, 100, 900, 0),
        ]
        #expect(verdicts(&patience, .betweenRequests, looks) == [.wait, .wait, .close])
    }

    @Test func `a client that does not read the last response does not delay the end for long`() {
        var patience = ClientPatience(limits, now: start)
        patience.headCame(100)
        patience.requestEnded(start)
        let looks: [(Double, UInt64, UInt64, UInt64)] = [
            (1, 100, 5000, 9000), (8, 100, 7000, 7000), (17.9, 100, 7999, 6001), (18, 100, 7999, 6001),
        ]
        #expect(verdicts(&patience, .betweenRequests, looks) == [.wait, .wait, .wait, .close])
    }

    @Test func `a body or a response must make progress`() {
        var patience = ClientPatience(limits, now: start)
        let looks: [(Double, UInt64, UInt64, UInt64)] = [
            (1, 100, 0, 0), (9, 1200, 0, 0), (18, 1200, 1100, 0), (27.9, 1200, 2099, 0), (28, 1200, 2099, 0),
        ]
        #expect(verdicts(&patience, .client, looks) == [.wait, .wait, .wait, .wait, .close])
    }

    @Test func `our own time does not count`() {
        var patience = ClientPatience(limits, now: start)
        #expect(verdicts(&patience, .client, [(5, 100, 0, 0)]) == [.wait])
        #expect(verdicts(&patience, .listener, [(100, 100, 0, 0), (500, 100, 0, 0)]) == [.wait, .wait])
        #expect(verdicts(&patience, .client, [(505, 100, 0, 0), (514, 100, 0, 0)]) == [.wait, .wait])
        #expect(verdicts(&patience, .client, [(516, 100, 0, 0)]) == [.close])
    }

    @Test func `a drain closes connections with a response immediately, and new ones a second later`() {
        var served = ClientPatience(limits, now: start)
        served.headCame(100)
        served.requestEnded(start)
        #expect(verdicts(&served, .betweenRequests, isDraining: true, [(0, 100, 0, 0)]) == [.close])
        var fresh = ClientPatience(limits, now: start)
        let looks: [(Double, UInt64, UInt64, UInt64)] = [(0.9, 0, 0, 0), (1, 0, 0, 0)]
        #expect(verdicts(&fresh, .betweenRequests, isDraining: true, looks) == [.wait, .close])
    }

    @Test func `a drain waits for a head that has started to arrive`() {
        var patience = ClientPatience(limits, now: start)
        patience.headCame(100)
        patience.requestEnded(start)
        let looks: [(Double, UInt64, UInt64, UInt64)] = [(1, 101, 0, 0), (20, 150, 0, 0), (21, 150, 0, 0)]
        #expect(
            verdicts(&patience, .betweenRequests, isDraining: true, looks) == [.wait, .wait, .refuseHead]
        )
    }
}
