internal import TaskFlow

/// Keeps what happened in a test, in order, and lets the test await the next thing.
public final class Recorder<Element: Sendable>: Sendable {
    private let elements = Guarded<[Element]>([])
    private let level = Level()

    /// Creates an empty recorder.
    public init() {}

    /// What was recorded so far.
    public var values: [Element] { elements.withLock { $0 } }

    /// How much was recorded so far.
    public var count: Int { elements.withLock { $0.count } }

    /// Adds an element.
    public func record(_ element: Element) {
        elements.withLock { $0.append(element) }
        level.add(1)
    }

    /// Waits until at least `count` elements are recorded, and returns them.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    @discardableResult
    public func wait(count: Int) async throws -> [Element] {
        try await level.reach(count)
        return values
    }
}
