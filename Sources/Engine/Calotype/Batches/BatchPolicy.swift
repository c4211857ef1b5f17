/// What the failures in a batch do to it.
public enum BatchPolicy: Hashable, Sendable {
    /// Failures are left out.
    case skipFailures
    /// The first failure is thrown, and what is under way is cancelled.
    case failFast
    /// Failures are left out; `empty_result` is thrown at the end when nothing was loaded.
    case requireAny
}

/// What cancelling the reading task does to a batch.
public enum BatchCancellation: Hashable, Sendable {
    /// `CancellationError` is thrown.
    case throwError
    /// The batch ends with what it has.
    case returnPartial
}
