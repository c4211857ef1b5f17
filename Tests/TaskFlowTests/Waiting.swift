import Testing

/// Polls until `condition` holds, for states that have no event of their own; the suite's time limit bounds it.
///
/// The pause keeps a hundred waiting tests off the two threads of a small machine; no outcome hangs on its length.
func waitUntil(_ condition: @Sendable () -> Bool) async throws {
    while !condition() {
        try await Task.sleep(for: .microseconds(200))
    }
}

/// Cancels the task that calls it.
func cancelThisTask() {
    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
}

/// An error to throw in tests.
struct Failure: Error, Equatable {
    var number = 0
}
