/// What a cancelled task does that waits for a callback.
///
/// In each case the handlers given to `JobController.onCancel(_:)` are called at once.
public enum CallbackCancellation: Hashable, Sendable {
    /// It throws `CancellationError` at once; whatever the callback brings later is let go.
    ///
    /// The work behind the callback may outlive the call: only for work that nobody needs to await.
    case throwsAtOnce
    /// It waits for the callback, then throws `CancellationError`, whatever the callback brought.
    case throwsAfterCallback
    /// It waits for the callback, and returns or throws what that brought.
    case leftToCallback
}
