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
