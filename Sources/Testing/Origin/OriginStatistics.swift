import TaskFlow

/// The counts of an origin since it started.
public struct OriginStatistics: Hashable, Sendable {
    /// Requests with a complete head.
    public internal(set) var requests = 0
    /// Accepted connections.
    public internal(set) var connections = 0
    /// Connections open now.
    public internal(set) var openConnections = 0
    /// The maximum number of connections open at a time.
    public internal(set) var peakConnections = 0
    /// Connections closed immediately because too many were open.
    public internal(set) var refusedConnections = 0
    /// Responses and request bodies that the client left before the end.
    ///
    /// A client always leaves a response that never ends.
    public internal(set) var earlyHangUps = 0
    /// Bytes passed to the kernel to send, including heads.
    public internal(set) var bytesSent = 0
    /// Bytes of request bodies received.
    public internal(set) var bytesReceived = 0
    /// Requests by the first part or parts of their path.
    ///
    /// For example `/pictures` and `/apps/icons`; unknown paths count as `other`.
    public internal(set) var requestsByPrefix: [String: Int] = [:]
    /// ``earlyHangUps`` by the first parts of the path, as in ``requestsByPrefix``.
    public internal(set) var earlyHangUpsByPrefix: [String: Int] = [:]

    /// Responses by status, including those sent only in part.
    public internal(set) var responsesByStatus: [Int: Int] = [:]
    /// Responses with status 304, not modified.
    public var notModified: Int { responsesByStatus[304, default: 0] }
    /// Responses with status 206, partial content.
    public var partial: Int { responsesByStatus[206, default: 0] }

    /// The counts as a JSON object.
    public var json: String {
        """
        {
          "requests": \(requests),
          "connections": \(connections),
          "open_connections": \(openConnections),
          "peak_connections": \(peakConnections),
          "refused_connections": \(refusedConnections),
          "early_hang_ups": \(earlyHangUps),
          "bytes_sent": \(bytesSent),
          "bytes_received": \(bytesReceived),
          "by_prefix": \(Self.object(requestsByPrefix)),
          "early_hang_ups_by_prefix": \(Self.object(earlyHangUpsByPrefix)),
          "by_status": \(Self.object(responsesByStatus))
        }
        """
    }

    private static func object<Key: Comparable>(_ counts: [Key: Int]) -> String {
        let entries = counts.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
        return "{\(entries.joined(separator: ", "))}"
    }
}

/// Keeps the counts, and wakes the tasks that wait for a count.
final class Tally: Sendable {
    private struct Watcher {
        let isMet: @Sendable (OriginStatistics) -> Bool
        let waiter: CheckedContinuation<OriginStatistics, any Error>
    }

    private struct State {
        var statistics = OriginStatistics()
        var watchers: [Int: Watcher] = [:]
        var lastWatcher = 0
    }

    private let state = Guarded(State())

    var statistics: OriginStatistics { state.withLock { $0.statistics } }

    func count(_ change: @Sendable (inout OriginStatistics) -> Void) {
        let (statistics, met) = state.withLock { state -> (OriginStatistics, [Watcher]) in
            change(&state.statistics)
            let statistics = state.statistics
            guard !state.watchers.isEmpty else { return (statistics, []) }
            let met = state.watchers.filter { $0.value.isMet(statistics) }
            for number in met.keys { state.watchers[number] = nil }
            return (statistics, Array(met.values))
        }
        for watcher in met { watcher.waiter.resume(returning: statistics) }
    }

    /// Makes the watchers check the counts again.
    func look() {
        count { _ in }
    }

    func statistics(
        when isMet: @escaping @Sendable (OriginStatistics) -> Bool
    ) async throws -> OriginStatistics {
        let number = state.withLock { state in
            state.lastWatcher += 1
            return state.lastWatcher
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                watch(number, Watcher(isMet: isMet, waiter: waiter))
            }
        } onCancel: {
            leave(number)
        }
    }

    private func watch(_ number: Int, _ watcher: Watcher) {
        let met = state.withLock { state -> OriginStatistics? in
            if watcher.isMet(state.statistics) { return state.statistics }
            state.watchers[number] = watcher
            return nil
        }
        if let met { watcher.waiter.resume(returning: met) }
        // A cancellation that arrived before the watcher was in the table found nothing there to end.
        if met == nil, Task.isCancelled { leave(number) }
    }

    private func leave(_ number: Int) {
        let watcher = state.withLock { $0.watchers.removeValue(forKey: number) }
        watcher?.waiter.resume(throwing: CancellationError())
    }
}
