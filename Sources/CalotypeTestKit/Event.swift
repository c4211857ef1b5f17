/// Something that happens once in a test, and that others await.
public final class Event: Sendable {
    private let level = Level()

    /// Creates an event that has not happened.
    public init() {}

    /// Whether it has happened.
    public var hasHappened: Bool { level.current > 0 }

    /// Makes it happen; a second call changes nothing.
    public func signal() {
        level.set(1)
    }

    /// Waits until it has happened; returns at once if it has.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func wait() async throws {
        try await level.reach(1)
    }
}
