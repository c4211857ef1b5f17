import CalotypeCore
import TaskFlow

/// Flights that never fail a caller who would have succeeded alone.
///
/// A source has limits: the time of each step and of the whole, and a number of attempts. A caller who joins a flight that has
/// used up a part of them gets what is left. Where that was too little, it asks again, once; those who joined ask together.
final class SharedFlights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let flights: Coalescer<Key, Value>
    private let clock: Stopwatch
    /// When the flights began that are under way.
    private let starts = Guarded<[Key: Duration]>([:])

    /// Who joins a flight in the first tenth of its life loses nothing by that.
    private static var nearlyAll: Double { 0.9 }

    init(scope: TaskScope, name: String, clock: Stopwatch) {
        flights = Coalescer(scope: scope, name: name)
        self.clock = clock
    }

    /// The flights under way, cancelled ones included.
    var flightCount: Int { flights.flightCount }

    /// Whether a flight for `key` is under way that a caller would join now.
    func hasFlight(for key: Key) -> Bool { flights.hasFlight(for: key) }

    /// Waits for the value of `key`, as ``TaskFlow/Coalescer`` does.
    func value(
        for key: Key,
        priority: LivePriority,
        _ operation: @escaping @Sendable (FlightContext) async throws -> Value
    ) async throws -> Value {
        let arrival = clock.now
        let start = starts.withLock { $0[key] }
        do {
            return try await fly(key, priority, operation)
        } catch let failure as LoadError where failure.isSpentLimit {
            let now = clock.now
            guard let start, now - arrival < (now - start) * Self.nearlyAll else { throw failure }
            return try await fly(key, priority, operation)
        }
    }

    private func fly(
        _ key: Key,
        _ priority: LivePriority,
        _ operation: @escaping @Sendable (FlightContext) async throws -> Value
    ) async throws -> Value {
        try await flights.value(for: key, priority: priority) { flight in
            let start = self.clock.now
            self.starts.withLock { $0[key] = start }
            // One that follows a cancelled one may have begun meanwhile.
            defer { self.starts.withLock { if $0[key] == start { $0[key] = nil } } }
            return try await operation(flight)
        }
    }
}

extension LoadError {
    /// Whether more time, or one more attempt, might have helped.
    fileprivate var isSpentLimit: Bool {
        let times: Set<ErrorCode> = [
            .timeoutConnect, .timeoutHeaders, .timeoutIdle, .timeoutTotal, .tooSlow,
        ]
        return times.contains(error.code) || attempts > 1 && isOriginTrouble
    }
}
