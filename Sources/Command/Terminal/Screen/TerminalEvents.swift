/// The events of a terminal as they happen, for one reader.
///
/// Few are kept for a reader that is busy: what is typed beyond that waits in the terminal, and of several sizes only the
/// newest is told.
public struct TerminalEvents: AsyncSequence, Sendable {
    let queue: EventQueue

    /// Reads one event after the other.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let queue: EventQueue

        /// Waits for the next event; there is always one more, until the session ends.
        ///
        /// - Throws: `CancellationError`, at once, when the task is cancelled; `terminal_lost` when the terminal has gone.
        public mutating func next() async throws -> TerminalEvent? {
            try await queue.next()
        }

        /// See ``next()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(any Error) -> TerminalEvent? {
            try await queue.next()
        }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(queue: queue)
    }
}
