import CalotypeCore
import TaskFlow

/// What a load tells while it goes on; it holds the load, and each iterator joins where the load then is.
public struct TaskUpdates<Element: Sendable, Picture: Sendable>: AsyncSequence, Sendable {
    /// It ends, and never fails: the failure is the task's.
    public typealias Failure = Never

    let task: ImageTask<Picture>
    let broadcast: Broadcast<Element>

    /// Reads updates.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let task: ImageTask<Picture>
        private let place: Place

        init(_ updates: TaskUpdates) {
            task = updates.task
            place = Place(updates.broadcast)
        }

        /// Waits for the next update; `nil` when the load has ended, or when the reading task is cancelled.
        public mutating func next() async -> Element? {
            await place.next()
        }

        /// Waits for the next update; `nil` when the load has ended, or when the reading task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await place.next()
        }
    }

    /// A reader's place, given up with the iterator.
    private final class Place: Sendable {
        let broadcast: Broadcast<Element>
        let id: UInt64

        init(_ broadcast: Broadcast<Element>) {
            self.broadcast = broadcast
            id = broadcast.join()
        }

        deinit {
            broadcast.leave(id)
        }

        func next() async -> Element? {
            await broadcast.next(id)
        }
    }

    /// Creates the iterator, which joins now.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }
}

/// Values for several readers at their own pace: each gets those from where it joined, the newest before it included.
///
/// A reader that falls behind loses the oldest; it never loses the newest, and never sees them out of order.
final class Broadcast<Element: Sendable>: Sendable {
    private static var capacity: Int { 64 }

    private struct Reader {
        var waiting: [Element] = []
        var continuation: CheckedContinuation<Element?, Never>?
    }

    private struct State {
        var last: Element?
        var isOver = false
        var readers: [UInt64: Reader] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Guarded(State())
    private let follows: @Sendable (_ last: Element, _ next: Element) -> Bool

    /// Creates a broadcast that drops what does not follow what was sent last.
    init(follows: @escaping @Sendable (_ last: Element, _ next: Element) -> Bool = { _, _ in true }) {
        self.follows = follows
    }

    /// Hands the value to all readers; after the end it is dropped.
    func send(_ element: Element) {
        let continuations = state.withLock { state -> [CheckedContinuation<Element?, Never>] in
            guard !state.isOver, state.last.map({ follows($0, element) }) ?? true else { return [] }
            state.last = element
            return state.readers.keys.compactMap { Self.hand(element, to: $0, &state) }
        }
        for continuation in continuations { continuation.resume(returning: element) }
    }

    /// Ends it: readers get what waits for them, then `nil`.
    func finish() {
        let continuations = state.withLock { state -> [CheckedContinuation<Element?, Never>] in
            state.isOver = true
            return state.readers.keys.compactMap { state.readers[$0]?.continuation.take() }
        }
        for continuation in continuations { continuation.resume(returning: nil) }
    }

    /// Joins, and gets the newest value first.
    func join() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.readers[state.lastID] = Reader(waiting: state.last.map { [$0] } ?? [])
            return state.lastID
        }
    }

    func leave(_ id: UInt64) {
        let continuation = state.withLock { $0.readers.removeValue(forKey: id)?.continuation }
        continuation?.resume(returning: nil)
    }

    /// Waits for the reader's next value; `nil` at the end, and when the task is cancelled.
    func next(_ id: UInt64) async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isSettled, element) = state.withLock { Self.settle(id, continuation, &$0) }
                if isSettled { continuation.resume(returning: element) }
            }
        } onCancel: {
            state.withLock { $0.readers[id]?.continuation.take() }?.resume(returning: nil)
        }
    }

    private static func hand(
        _ element: Element,
        to id: UInt64,
        _ state: inout State
    ) -> CheckedContinuation<Element?, Never>? {
        if let continuation = state.readers[id]?.continuation.take() { return continuation }
        if let count = state.readers[id]?.waiting.count, count >= capacity {
            state.readers[id]?.waiting.removeFirst()
        }
        state.readers[id]?.waiting.append(element)
        return nil
    }

    private static func settle(
        _ id: UInt64,
        _ continuation: CheckedContinuation<Element?, Never>,
        _ state: inout State
    ) -> (Bool, Element?) {
        guard let reader = state.readers[id], !Task.isCancelled else { return (true, nil) }
        guard reader.waiting.isEmpty else { return (true, state.readers[id]?.waiting.removeFirst()) }
        if state.isOver { return (true, nil) }
        state.readers[id]?.continuation = continuation
        return (false, nil)
    }
}
