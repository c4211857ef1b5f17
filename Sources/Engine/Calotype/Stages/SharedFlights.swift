import CalotypeCore
import TaskFlow

/// Flights that never fail a caller that would have succeeded alone.
///
/// A source has limits: times for each step and for the whole, and a number of attempts. A caller that joins
/// a flight gets what is left of them. If that was too little, it tries once more; callers that had joined
/// try together.
final class SharedFlights<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let flights: Coalescer<Key, Value>
    private let clock: Stopwatch
    /// The start times of the flights in progress.
    private let starts = Guarded<[Key: Duration]>([:])

    /// A caller that joins in the first tenth of a flight loses nothing.
    private static var nearlyAll: Double { 0.9 }

    init(scope: TaskScope, name: String, clock: Stopwatch) {
        flights = Coalescer(scope: scope, name: name)
        self.clock = clock
    }

    /// The number of flights in progress, cancelled ones included.
    var flightCount: Int { flights.flightCount }

    /// Whether a caller would join a flight for `key` now.
    func hasFlight(for key: Key) -> Bool { flights.hasFlight(for: key) }

    /// Waits for the value of `key`, like ``TaskFlow/Coalescer``.
    func value(
        for key: Key,
        priority: LivePriority,
        _ operation: @escaping @Sendable (FlightContext) async throws -> Value
    ) async throws -> Value {
        let arrival = clock.now
        let start = starts.withLock { $0[key] }
        do {
            return try await fly(key, priority, operation)
        } catch let error as CalotypeError where error.isSpentLimit {
            let now = clock.now
            guard let start, now - arrival < (now - start) * Self.nearlyAll else { throw error }
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
            // A flight that follows a cancelled one may have started in the meantime.
            defer { self.starts.withLock { if $0[key] == start { $0[key] = nil } } }
            return try await operation(flight)
        }
    }
}

extension CalotypeError {
    /// Whether more time or another attempt might have helped.
    fileprivate var isSpentLimit: Bool {
        let times: Set<ErrorCode> = [
            .timeoutConnect, .timeoutHeaders, .timeoutIdle, .timeoutTotal, .tooSlow,
        ]
        return times.contains(code) || (load?.attempts ?? 0) > 1 && isOriginTrouble
    }
}
