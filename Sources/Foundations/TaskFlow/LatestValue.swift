/// A changing value for any number of readers, each at its own pace.
///
/// A reader begins with the current value and receives later ones in order. One that falls behind skips the
/// oldest that it has not read, never the newest, and holds up nobody. After the end, readers receive what
/// they have not read.
package final class LatestValue<Value: Sendable>: Sendable {
    private let machine: Guarded<LatestValueStateMachine<Value>>

    /// Creates a changing value.
    ///
    /// - Parameters:
    ///   - value: The first value; readers wait for one if there is none.
    ///   - count: The number of values stored for a reader that falls behind, at least one.
    package init(_ value: Value? = nil, keeping count: Int = 1) {
        machine = Guarded(LatestValueStateMachine(value, keeping: count))
    }

    /// The current value, also after the end.
    package var current: Value? { machine.withLock { $0.current } }

    /// The number of readers that have not left.
    package var readerCount: Int { machine.withLock { $0.readerCount } }

    /// Creates a reader that begins with the current value.
    package func makeReader() -> Reader { Reader(self) }

    /// Sends a value to all readers; no effect after the end.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - follows: Whether the new value may replace the current one; called while the value is locked.
    package func send(_ value: Value, following follows: (_ current: Value) -> Bool = { _ in true }) {
        for waiter in machine.withLock({ $0.send(value, following: follows) }) {
            waiter.resume(returning: value)
        }
    }

    /// Changes the current value for all readers; no effect after the end, or if there is no value.
    ///
    /// - Parameter change: Changes the value, and returns whether it is the last; called while the value is
    ///   locked.
    /// - Returns: Whether this was the last change.
    @discardableResult
    package func update(_ change: (inout Value) -> Bool) -> Bool {
        guard let (value, waiters, isLast) = machine.withLock({ $0.update(change) }) else { return false }
        for waiter in waiters { waiter.resume(returning: value) }
        return isLast
    }

    /// Ends the value: readers receive what they have not read, then `nil`.
    package func finish() {
        for waiter in machine.withLock({ $0.finish() }) { waiter.resume(returning: nil) }
    }

    /// A reader of a changing value, which leaves when it is released.
    package final class Reader: AsyncSequence, AsyncIteratorProtocol, Sendable {
        package typealias Element = Value
        package typealias Failure = Never

        private let source: LatestValue
        private let id: LatestValueStateMachine<Value>.ReaderID

        fileprivate init(_ source: LatestValue) {
            self.source = source
            id = source.machine.withLock { $0.join() }
        }

        deinit {
            source.machine.withLock { $0.leave(id) }?.resume(returning: nil)
        }

        package func makeAsyncIterator() -> Reader { self }

        /// Returns the next value, or `nil` at the end or when the task is cancelled.
        ///
        /// A reader waits in one task at a time: a second one that waits ends the first one's wait with
        /// `nil`.
        package func next() async -> Value? {
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiter in
                    // Checked under the lock: a cancel before this is seen here, a later one finds the
                    // waiter.
                    switch source.machine.withLock({ $0.read(id, waiter, isCancelled: Task.isCancelled) }) {
                    case .value(let value): waiter.resume(returning: value)
                    case .end: waiter.resume(returning: nil)
                    case .wait(let earlier): earlier?.resume(returning: nil)
                    }
                }
            } onCancel: {
                source.machine.withLock { $0.stopWaiting(id) }?.resume(returning: nil)
            }
        }

        /// Returns the next value, or `nil` at the end or when the task is cancelled.
        package func next(isolation actor: isolated (any Actor)?) async -> Value? { await next() }
    }
}

/// Tracks which values each reader of a changing value has read.
///
/// Values are numbered from 1. Stores only the values that a reader has not read, and the newest.
struct LatestValueStateMachine<Value: Sendable>: Sendable {
    typealias ReaderID = UInt64
    typealias Waiter = CheckedContinuation<Value?, Never>

    /// The result of a read.
    enum Reading {
        case value(Value)
        case end
        /// It waits, in the place of an earlier waiter if there was one.
        case wait(insteadOf: Waiter?)
    }

    private struct Reader {
        /// The number of the newest value that it has read or skipped.
        var position: Int
        var waiter: Waiter?
    }

    private let capacity: Int
    /// The last values, the newest at the end, whose number is `lastNumber`.
    private var values: [Value] = []
    private var lastNumber = 0
    private var hasEnded = false
    private var readers: [ReaderID: Reader] = [:]
    private var lastID: ReaderID = 0

    init(_ value: Value?, keeping count: Int) {
        capacity = max(count, 1)
        if let value { append(value) }
    }

    var current: Value? { values.last }
    var readerCount: Int { readers.count }

    /// Adds a reader, whose first value is the current one.
    mutating func join() -> ReaderID {
        lastID += 1
        readers[lastID] = Reader(position: values.isEmpty ? lastNumber : lastNumber - 1)
        return lastID
    }

    /// Removes a reader, and returns its waiter.
    mutating func leave(_ id: ReaderID) -> Waiter? {
        let waiter = readers.removeValue(forKey: id)?.waiter
        forgetRead()
        return waiter
    }

    mutating func read(_ id: ReaderID, _ waiter: Waiter, isCancelled: Bool) -> Reading {
        guard let reader = readers[id], !isCancelled else { return .end }
        if reader.position < lastNumber {
            let index = max(reader.position - (lastNumber - values.count), 0)
            let value = values[index]
            readers[id]?.position = lastNumber - values.count + index + 1
            forgetRead()
            return .value(value)
        }
        if hasEnded { return .end }
        readers[id]?.waiter = waiter
        return .wait(insteadOf: reader.waiter)
    }

    mutating func stopWaiting(_ id: ReaderID) -> Waiter? { readers[id]?.waiter.take() }

    /// Adds a value, and returns its waiters.
    mutating func send(_ value: Value, following follows: (Value) -> Bool) -> [Waiter] {
        guard !hasEnded, current.map(follows) ?? true else { return [] }
        return append(value)
    }

    /// Changes the current value, and returns it with its waiters; `nil` if nothing can change.
    mutating func update(_ change: (inout Value) -> Bool) -> (Value, [Waiter], isLast: Bool)? {
        // Taken out, so that the change copies nothing, unless readers may still get the value as it was.
        guard !hasEnded, var value = capacity > 1 ? values.last : values.popLast() else { return nil }
        hasEnded = change(&value)
        return (value, append(value), hasEnded)
    }

    /// Ends the value, and returns the waiters.
    mutating func finish() -> [Waiter] {
        hasEnded = true
        return takeWaiters()
    }

    @discardableResult
    private mutating func append(_ value: Value) -> [Waiter] {
        values.append(value)
        lastNumber += 1
        let waiters = takeWaiters()
        forgetRead()
        return waiters
    }

    /// Removes and returns all waiters, those of the oldest reader first.
    ///
    /// Their readers have read everything.
    private mutating func takeWaiters() -> [Waiter] {
        readers.keys.sorted().compactMap { id in
            guard let waiter = readers[id]?.waiter.take() else { return nil }
            readers[id]?.position = lastNumber
            return waiter
        }
    }

    /// Drops the values that all readers have read, and those that are too old for the slowest.
    ///
    /// Never drops the newest.
    private mutating func forgetRead() {
        let slowest = readers.values.lazy.map(\.position).min() ?? lastNumber
        let kept = min(max(lastNumber - slowest, 1), capacity)
        if values.count > kept { values.removeFirst(values.count - kept) }
    }
}
