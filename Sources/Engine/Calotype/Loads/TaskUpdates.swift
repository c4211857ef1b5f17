import CalotypeCore
import TaskFlow

/// Updates of a load, from its current state on; the sequence keeps the load alive.
public struct TaskUpdates<Element: Sendable, Picture: Sendable>: AsyncSequence, Sendable {
    /// The sequence never fails; the load's task throws its error.
    public typealias Failure = Never

    let task: ImageTask<Picture>
    let values: LatestValue<Element>

    /// Reads updates.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let task: ImageTask<Picture>
        private let reader: LatestValue<Element>.Reader

        init(_ updates: TaskUpdates) {
            task = updates.task
            reader = updates.values.makeReader()
        }

        /// Returns the next update, or `nil` when the load has ended or the reading task is cancelled.
        public mutating func next() async -> Element? {
            await reader.next()
        }

        /// Returns the next update, or `nil` when the load has ended or the reading task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await reader.next()
        }
    }

    /// Creates an iterator, which starts at the current state.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }
}
