import CalotypeCore
import TaskFlow

/// An event of a terminal.
public enum TerminalEvent: Hashable, Sendable {
    /// A key was pressed.
    case key(KeyPress)
    /// The screen was resized.
    case resized(ScreenSize)
}

/// The events of a terminal, for one reader.
///
/// A few events are stored for a busy reader: further keys wait in the terminal, and of several sizes only
/// the newest is delivered.
public struct TerminalEvents: AsyncSequence, Sendable {
    let queue: EventQueue

    /// Reads one event at a time.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let queue: EventQueue

        /// Returns the next event, and waits for it if necessary; the sequence does not end before the
        /// session.
        ///
        /// - Throws: `CancellationError` immediately if the task is cancelled; `terminal_lost` if the
        ///   terminal is closed.
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

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator {
        Iterator(queue: queue)
    }
}

/// The queue between the thread that reads the terminal and the task that handles the events.
final class EventQueue: Sendable {
    /// More keys than anybody types ahead on purpose.
    static let limit = 64

    private struct State {
        var keys = FIFO<KeyPress>()
        var size: ScreenSize?
        var failure: CalotypeError?
        var reader: CheckedContinuation<TerminalEvent?, any Error>?

        /// Returns the reader's next event; `nil` if it must wait.
        mutating func take() -> Result<TerminalEvent?, any Error>? {
            if let resized = size {
                size = nil
                return .success(.resized(resized))
            }
            if let key = keys.popFirst() { return .success(.key(key)) }
            return failure.map { .failure($0) }
        }
    }

    private let state = Guarded(State())
    /// Called when the queue accepts keys again after it was full.
    private let onRoom: @Sendable () -> Void

    init(onRoom: @escaping @Sendable () -> Void) {
        self.onRoom = onRoom
    }

    /// The number of keys that the queue accepts now.
    var room: Int { state.withLock { Self.limit - $0.keys.count } }

    func add(_ keys: [KeyPress]) {
        change { state in
            for key in keys { state.keys.append(key) }
        }
    }

    func add(_ size: ScreenSize) {
        change { $0.size = size }
    }

    /// Ends the events after those that are still queued.
    func fail(_ error: CalotypeError) {
        change { $0.failure = $0.failure ?? error }
    }

    /// Returns the next event, and waits for it if necessary.
    func next() async throws -> TerminalEvent? {
        let event = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter($0) }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(throwing: CancellationError())
        }
        if case .key = event, room == 1 { onRoom() }
        return event
    }

    private func enter(_ reader: CheckedContinuation<TerminalEvent?, any Error>) {
        let outcome = state.withLock { state -> Result<TerminalEvent?, any Error>? in
            // The check is under the lock: an earlier cancellation is seen here, and a later one finds the
            // reader.
            if Task.isCancelled { return .failure(CancellationError()) }
            if let event = state.take() { return event }
            precondition(state.reader == nil, "a terminal's events have one reader, but got a second one")
            state.reader = reader
            return nil
        }
        if let outcome { reader.resume(with: outcome) }
    }

    private func change(_ body: (inout State) -> Void) {
        typealias Waking = (CheckedContinuation<TerminalEvent?, any Error>, Result<TerminalEvent?, any Error>)
        let waking = state.withLock { state -> Waking? in
            body(&state)
            guard let reader = state.reader, let event = state.take() else { return nil }
            state.reader = nil
            return (reader, event)
        }
        if let (reader, event) = waking { reader.resume(with: event) }
    }
}
