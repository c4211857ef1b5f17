import Calotype
import CalotypeCore
import Synchronization
import TaskFlow

/// Lets through to a service no more calls than it allows.
final class CallGate: Sendable {
    /// The longest that a service is left alone, whatever it says.
    private static let longestPause = Duration.seconds(3600)

    private let machine: Guarded<CallMachine>
    private let clock: any Clock<Duration>
    private let pause: Duration
    private let time: Stopwatch
    private let lastCaller = Atomic<CallMachine.Caller>(0)

    init(_ limit: CallLimit?, pause: Duration, clock: any Clock<Duration>) {
        machine = Guarded(CallMachine(limit))
        self.clock = clock
        self.pause = pause
        time = Stopwatch(clock)
    }

    /// How many calls wait.
    var waiterCount: Int { machine.withLock { $0.waiterCount } }

    /// Waits until the service may be asked.
    ///
    /// - Throws: `rate_limited` at once while the service is left alone; `CancellationError`.
    func enter() async throws {
        let caller = lastCaller.add(1, ordering: .relaxed).newValue
        while true {
            switch machine.withLock({ $0.ask(caller, at: time.now) }) {
            case .go: return
            case .refused(let duration): throw CatalogError.rateLimited(for: duration)
            case .wait(let duration): try await wait(duration, caller)
            }
        }
    }

    /// Leaves the service alone for `duration`, or for the usual pause where it does not tell.
    ///
    /// - Returns: How long that is.
    func close(for duration: Duration?) -> Duration {
        let duration = min(max(duration ?? pause, .zero), Self.longestPause)
        machine.withLock { $0.close(until: time.now + duration) }
        return duration
    }

    private func wait(_ duration: Duration, _ caller: CallMachine.Caller) async throws {
        do {
            try await clock.sleep(for: duration)
        } catch {
            machine.withLock { $0.leave(caller) }
            throw error
        }
    }
}

extension CatalogError {
    /// The service was asked too often, and may be asked again after `duration`.
    static func rateLimited(for duration: Duration?) -> CatalogError {
        let time = duration.map { "in \(seconds($0)) s" } ?? "later"
        return CatalogError(
            .rateLimited,
            "the service was asked too often; ask again \(time)",
            retryAfter: duration
        )
    }

    /// Whole seconds, rounded up.
    private static func seconds(_ duration: Duration) -> Int64 {
        let (seconds, rest) = duration.components
        return rest > 0 ? seconds + 1 : seconds
    }
}

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
