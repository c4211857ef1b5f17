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
    private let time: PipelineClock
    private let lastCaller = Atomic<CallMachine.Caller>(0)

    init(_ limit: CallLimit?, pause: Duration, clock: any Clock<Duration>) {
        machine = Guarded(CallMachine(limit))
        self.clock = clock
        self.pause = pause
        time = PipelineClock(clock)
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
