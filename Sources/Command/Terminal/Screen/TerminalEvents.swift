import CalotypeCore
import TaskFlow

/// What happens at a terminal.
public enum TerminalEvent: Hashable, Sendable {
    /// A key was pressed.
    case key(KeyPress)
    /// The screen has another size now.
    case resized(ScreenSize)
}

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

/// Events between the thread that reads the terminal and the task that acts on them.
final class EventQueue: Sendable {
    /// More keys than anybody has typed ahead on purpose.
    static let limit = 64

    private struct State {
        var keys = FIFO<KeyPress>()
        var size: ScreenSize?
        var failure: CalotypeError?
        var reader: CheckedContinuation<TerminalEvent?, any Error>?

        /// What the reader gets next; `nil` to wait.
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
    /// Told when keys are wanted again after the queue was full.
    private let onRoom: @Sendable () -> Void

    init(onRoom: @escaping @Sendable () -> Void) {
        self.onRoom = onRoom
    }

    /// How many keys it takes now.
    var room: Int { state.withLock { Self.limit - $0.keys.count } }

    func add(_ keys: [KeyPress]) {
        change { state in
            for key in keys { state.keys.append(key) }
        }
    }

    func add(_ size: ScreenSize) {
        change { $0.size = size }
    }

    /// Ends the events, after those that wait to be read.
    func fail(_ error: CalotypeError) {
        change { $0.failure = $0.failure ?? error }
    }

    /// Waits for the next event.
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
            // Asked under the lock: a cancel before this is seen here, a later one finds the reader.
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
