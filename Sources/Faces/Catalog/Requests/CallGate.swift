import Calotype
import CalotypeCore
import Synchronization
import TaskFlow

/// Limits the rate of calls to a service.
final class CallGate: Sendable {
    /// The maximum pause, whatever the service says.
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

    /// The number of waiting calls.
    var waiterCount: Int { machine.withLock { $0.waiterCount } }

    /// Waits until a call is allowed.
    ///
    /// - Throws: `rate_limited` immediately during a pause; `CancellationError`.
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

    /// Pauses all calls for `duration`, or for the default pause if it is `nil`.
    ///
    /// - Returns: The length of the pause.
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
    /// Returns the error for too many calls, with the time until the next one is allowed.
    static func rateLimited(for duration: Duration?) -> CatalogError {
        let time = duration.map { "in \(seconds($0)) s" } ?? "later"
        return CatalogError(
            .rateLimited,
            "too many requests to the service; try again \(time)",
            retryAfter: duration
        )
    }

    /// Returns whole seconds, rounded up.
    private static func seconds(_ duration: Duration) -> Int64 {
        let (seconds, rest) = duration.components
        return rest > 0 ? seconds + 1 : seconds
    }
}

/// Decides when calls are allowed: a token bucket in order of arrival, which closes during a pause.
///
/// Times are relative to any fixed moment, and never decrease.
struct CallMachine {
    /// Identifies a caller.
    typealias Caller = UInt64

    enum Verdict: Equatable {
        /// The call is allowed now.
        case go
        /// The caller must ask again after this time.
        case wait(Duration)
        /// No call is allowed for this time.
        case refused(Duration)
    }

    /// The maximum number of waiting callers.
    static let longestQueue = 32

    private let limit: CallLimit?
    private var calls: Int
    /// The time when the bucket was last filled.
    private var filledAt = Duration.zero
    private var queue: [Caller] = []
    private var closedUntil: Duration?

    /// Creates a machine that initially allows a burst; without a limit nobody waits.
    init(_ limit: CallLimit?) {
        self.limit = limit
        calls = limit?.burst ?? 0
    }

    /// The number of waiting callers.
    var waiterCount: Int { queue.count }

    /// Decides about a caller at `now`; the caller asks again after each wait.
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

    /// Removes a caller that no longer waits.
    mutating func leave(_ caller: Caller) {
        queue.removeAll { $0 == caller }
    }

    /// Rejects all calls until `moment`, or until the end of a longer pause.
    mutating func close(until moment: Duration) {
        closedUntil = max(closedUntil ?? moment, moment)
    }

    private mutating func fill(_ limit: CallLimit, at now: Duration) {
        while calls < limit.burst, filledAt + limit.interval <= now {
            calls += 1
            filledAt += limit.interval
        }
        // A full bucket does not accumulate time.
        if calls == limit.burst { filledAt = now }
    }
}
