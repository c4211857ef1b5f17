import TaskFlow

/// A handle on one list that is being prefetched.
public struct PrefetchToken: Sendable {
    let queue: PrefetchQueue
    let list: PrefetchQueue.Machine.ListID
    let ended: Latch<PrefetchSummary>

    /// Ends the list: nothing more is begun for it, and what is under way only for it is cancelled.
    ///
    /// A second call changes nothing, nor does one after the end.
    public func cancel() {
        queue.cancel(list)
    }

    /// Waits for the end of the list, and tells what became of it.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled; the list goes on.
    public var summary: PrefetchSummary {
        get async throws { try await ended.wait() }
    }
}
