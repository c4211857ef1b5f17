import CalotypeHTTP
import TaskFlow

/// Where loads wait until the download of their source may begin.
///
/// A load that waits here is a value: it has no flight and no task besides its caller's. Those inside are a
/// few more than the connections, so that the next request is ready when a connection becomes free.
final class SourceDoor: Sendable {
    private struct Waiter {
        let source: SourceKey
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var window: SourceWindow
        var waiters: [SourceWindow.Ticket: Waiter] = [:]
        var lastTicket: SourceWindow.Ticket = 0
        var isClosed = false

        /// Removes the waiters with these tickets.
        mutating func take(_ tickets: [SourceWindow.Ticket]) -> [Waiter] {
            tickets.compactMap { waiters.removeValue(forKey: $0) }
        }
    }

    private let state: Guarded<State>

    init(_ configuration: PipelineConfiguration) {
        let (connections, perHost) = (configuration.connections, configuration.connectionsPerHost)
        let window = SourceWindow(
            perHost: perHost + (configuration.loadsAhead ?? max(perHost, 8)),
            // Those that are downloaded, and those that wait for a name, a connection or a decoder. Even if many
            // hosts hang, others have places.
            total: 4 * connections + 64
        )
        state = Guarded(State(window: window))
    }

    /// The number of sources that loads wait for, for each host with at least one.
    var waiting: [WebURL.Origin: Int] { state.withLock { $0.window.waiting } }

    /// Whether nothing is inside or waits.
    var isEmpty: Bool { state.withLock { $0.window.isEmpty && $0.waiters.isEmpty } }

    /// Enters if the source is inside or there is room; call ``leave(_:)`` if that returns `true`.
    func enter(_ key: SourceKey, at host: WebURL.Origin, _ priority: LivePriority) -> Bool {
        let priority = priority.current
        var isInside = false
        update { window in
            guard let admitted = window.enter(key, at: host, priority) else { return [] }
            isInside = true
            return admitted
        }
        return isInside
    }

    /// Waits for a place, and enters.
    ///
    /// The position among the waiters follows the priority. Call ``leave(_:)`` if this does not throw.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits, or the pipeline ends.
    func wait(for key: SourceKey, at host: WebURL.Origin, _ priority: LivePriority) async throws {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        let observer = priority.addObserver { [self] in
            update { $0.change(ticket, for: key, to: priority.urgency) }
        }
        defer { priority.removeObserver(observer) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                enqueue(ticket, at: host, priority, Waiter(source: key, continuation: $0))
            }
        } onCancel: {
            cancel(ticket, key)
        }
    }

    /// Ends a load that has entered.
    func leave(_ key: SourceKey) {
        update { $0.leave(key) }
    }

    /// Notes that a download begins, which the loads that wait for this source share.
    func begin(_ key: SourceKey) {
        guard let host = key.host else { return }
        update { $0.begin(key, at: host) }
    }

    /// Gives the place of a source to others, because its next attempt may be far off.
    ///
    /// Without this, hosts that are unavailable for a while would take the places of all others.
    func release(_ key: SourceKey) {
        update { $0.release(key) }
    }

    /// Notes that a download has ended.
    func end(_ key: SourceKey) {
        guard key.host != nil else { return }
        update { $0.end(key) }
    }

    /// Cancels all waits, and those that begin later.
    func close() {
        let (cancelled, admitted) = state.withLock { state in
            state.isClosed = true
            var (cancelled, admitted): ([Waiter], [Waiter]) = ([], [])
            for ticket in state.waiters.keys.sorted() {
                guard let waiter = state.waiters.removeValue(forKey: ticket) else { continue }
                cancelled.append(waiter)
                admitted += state.take(state.window.cancel(ticket, for: waiter.source) ?? [])
            }
            return (cancelled, admitted)
        }
        for waiter in cancelled { waiter.continuation.resume(throwing: CancellationError()) }
        for waiter in admitted { waiter.continuation.resume() }
    }

    private func enqueue(
        _ ticket: SourceWindow.Ticket,
        at host: WebURL.Origin,
        _ priority: LivePriority,
        _ waiter: Waiter
    ) {
        let admitted = state.withLock { state -> [Waiter]? in
            // Checked under the lock: an earlier cancellation is seen here, and a later one finds the ticket.
            guard !Task.isCancelled, !state.isClosed else { return nil }
            state.waiters[ticket] = waiter
            return state.take(state.window.wait(ticket, for: waiter.source, at: host, priority.urgency))
        }
        if let admitted {
            for waiter in admitted { waiter.continuation.resume() }
        } else {
            waiter.continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ ticket: SourceWindow.Ticket, _ key: SourceKey) {
        let (cancelled, admitted) = state.withLock { state -> (Waiter?, [Waiter]) in
            guard let tickets = state.window.cancel(ticket, for: key) else { return (nil, []) }
            return (state.waiters.removeValue(forKey: ticket), state.take(tickets))
        }
        cancelled?.continuation.resume(throwing: CancellationError())
        for waiter in admitted { waiter.continuation.resume() }
    }

    /// Changes the window, and resumes the loads that the change lets in.
    private func update(_ change: (inout SourceWindow) -> [SourceWindow.Ticket]) {
        let admitted = state.withLock { $0.take(change(&$0.window)) }
        for waiter in admitted { waiter.continuation.resume() }
    }
}

extension SourceKey {
    /// The origin that the source comes from; `nil` if it comes over no network.
    var host: WebURL.Origin? {
        guard case .web(let url) = place else { return nil }
        return url.origin
    }
}
