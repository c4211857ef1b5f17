/// Something that happens once in a test, and that others await.
public final class Event: Sendable {
    private let state = Watched(false)

    /// Creates an event that has not happened.
    public init() {}

    /// Whether it has happened.
    public var hasHappened: Bool { state.current }

    /// Makes it happen; a second call changes nothing.
    public func signal() {
        state.change { $0 = true }
    }

    /// Waits until it has happened; returns at once if it has.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func wait() async throws {
        try await state.wait { $0 }
    }
}
