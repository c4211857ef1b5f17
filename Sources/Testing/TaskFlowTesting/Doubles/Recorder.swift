/// Keeps what happened in a test, in order, and lets the test await the next thing.
public final class Recorder<Element: Sendable>: Sendable {
    private let elements = Watched<[Element]>([])

    /// Creates an empty recorder.
    public init() {}

    /// What was recorded so far.
    public var values: [Element] { elements.current }

    /// How much was recorded so far.
    public var count: Int { elements.current.count }

    /// Adds an element.
    public func record(_ element: Element) {
        elements.change { $0.append(element) }
    }

    /// Waits until at least `count` elements are recorded, and returns them.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    @discardableResult
    public func wait(count: Int) async throws -> [Element] {
        try await elements.wait { $0.count >= count }
    }
}
