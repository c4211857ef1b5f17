import TaskFlow

/// A gate for each origin that someone uses or waits for; an idle one is dropped.
final class HostGates: Sendable {
    private struct Entry {
        let gate: AdmissionGate
        var users = 0
    }

    private let capacity: Int
    private let entries = Guarded<[WebURL.Origin: Entry]>([:])

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of gates.
    var count: Int { entries.withLock(\.count) }

    /// How many wait at each gate; those where nobody waits are left out.
    var waiting: [WebURL.Origin: Int] {
        entries.withLock { $0.mapValues(\.gate) }.mapValues(\.snapshot.waiting).filter { $0.value > 0 }
    }

    /// Runs `body` with a permit for `origin`.
    func withPermit<Output>(
        for origin: WebURL.Origin,
        priority: LivePriority,
        _ body: () async throws -> Output
    ) async throws -> Output {
        let gate = join(origin)
        defer { leave(origin) }
        return try await gate.withPermit(priority: priority, body)
    }

    private func join(_ origin: WebURL.Origin) -> AdmissionGate {
        entries.withLock { entries in
            var entry =
                entries[origin] ?? Entry(gate: AdmissionGate(capacity: capacity, keptBack: capacity / 4))
            entry.users += 1
            entries[origin] = entry
            return entry.gate
        }
    }

    private func leave(_ origin: WebURL.Origin) {
        entries.withLock { entries in
            guard var entry = entries[origin] else { return }
            entry.users -= 1
            entries[origin] = entry.users == 0 ? nil : entry
        }
    }
}
