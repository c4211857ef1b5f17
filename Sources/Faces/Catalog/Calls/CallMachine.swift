/// Decides when a service may be asked: a bucket of calls that fills with time, in the order of arrival; and closed for a
/// while after the service has said that it was asked too often.
///
/// Moments are times since any fixed one, and never go back.
struct CallMachine {
    /// Names one who asks.
    typealias Caller = UInt64

    enum Verdict: Equatable {
        /// It may be asked now.
        case go
        /// Ask again after this time.
        case wait(Duration)
        /// It may not be asked for this time.
        case refused(Duration)
    }

    /// The most callers that wait.
    static let longestQueue = 32

    private let limit: CallLimit?
    private var calls: Int
    /// When the bucket was filled last.
    private var filledAt = Duration.zero
    private var queue: [Caller] = []
    private var closedUntil: Duration?

    /// Creates a machine that allows a burst at once; without a limit nobody waits.
    init(_ limit: CallLimit?) {
        self.limit = limit
        calls = limit?.burst ?? 0
    }

    /// How many wait.
    var waiterCount: Int { queue.count }

    /// Decides what a caller does at `now`, who asks again after each wait.
    mutating func ask(_ caller: Caller, at now: Duration) -> Verdict {
        if let closedUntil, now < closedUntil {
            leave(caller)
            return .refused(closedUntil - now)
        }
        closedUntil = nil
        guard let limit else { return .go }
        fill(limit, at: now)
        let place = queue.firstIndex(of: caller)
        guard calls == 0 || place ?? queue.count > 0 else {
            leave(caller)
            calls -= 1
            return .go
        }
        if place == nil {
            guard queue.count < Self.longestQueue else {
                return .refused(limit.interval * (queue.count + 1))
            }
            queue.append(caller)
        }
        return .wait(filledAt + limit.interval - now)
    }

    /// Forgets a caller who waits no longer.
    mutating func leave(_ caller: Caller) {
        queue.removeAll { $0 == caller }
    }

    /// Refuses everybody until `moment`, unless that is refused for longer already.
    mutating func close(until moment: Duration) {
        closedUntil = max(closedUntil ?? moment, moment)
    }

    private mutating func fill(_ limit: CallLimit, at now: Duration) {
        while calls < limit.burst, filledAt + limit.interval <= now {
            calls += 1
            filledAt += limit.interval
        }
        // A full bucket does not save up time.
        if calls == limit.burst { filledAt = now }
    }
}
