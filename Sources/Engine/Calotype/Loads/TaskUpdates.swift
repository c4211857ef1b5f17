import CalotypeCore
import TaskFlow

/// What a load tells while it goes on; it holds the load, and each iterator joins where the load then is.
public struct TaskUpdates<Element: Sendable, Picture: Sendable>: AsyncSequence, Sendable {
    /// It ends, and never fails: the failure is the task's.
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

    /// Creates the iterator, which joins now.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }
}
