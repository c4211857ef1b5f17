import TaskFlow

/// Tells any number of readers a changing value: each its newest, so that a slow reader skips some and holds up nobody.
package final class LatestValues<Value: Sendable>: Sendable {
    private struct State {
        var readers: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Guarded(State())

    /// The number of readers that have not left.
    var readerCount: Int { state.withLock { $0.readers.count } }

    /// Creates a value that nobody reads.
    package init() {}

    /// The values from `current` on, until the end.
    package func values(from current: Value) -> AsyncStream<Value> {
        let (stream, reader) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastID += 1
            state.readers[state.lastID] = reader
            return state.lastID
        }
        reader.onTermination = { [weak self] _ in self?.forget(id) }
        reader.yield(current)
        return stream
    }

    /// Tells the readers a new value.
    package func send(_ value: Value) {
        for reader in state.withLock({ Array($0.readers.values) }) { reader.yield(value) }
    }

    /// Ends all sequences, after the value that waits to be read.
    package func finish() {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    private func forget(_ id: UInt64) {
        let reader = state.withLock { $0.readers.removeValue(forKey: id) }
        withExtendedLifetime(reader) {}
    }
}
