import Dispatch
import Synchronization

/// A callback becomes an `async` function with a continuation, which is resumed exactly once, also when the caller is cancelled.
@main
struct FromCallbacks {
    static func main() async {
        print(await load().map { "loaded \($0)" } ?? "cancelled")
        let task = Task { await load() }
        task.cancel()
        print(await task.value.map { "loaded \($0)" } ?? "cancelled")
    }

    /// Returns the photo, or `nil` after a cancellation.
    static func load() async -> String? {
        let request = Request()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                request.start { continuation.resume(returning: $0) }
            }
        } onCancel: {
            request.cancel()
        }
    }
}

/// An API with callbacks: calls back once, with `nil` if it was cancelled before.
final class Request: Sendable {
    private let state = Mutex<(isCancelled: Bool, completion: (@Sendable (String?) -> Void)?)>((false, nil))

    func start(completion: @escaping @Sendable (String?) -> Void) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.completion = completion }
            return state.isCancelled
        }
        if isCancelled { return completion(nil) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { self.finish("a photo") }
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        finish(nil)
    }

    private func finish(_ photo: String?) {
        // Takes the callback under the lock, and calls it after the lock was released.
        let completion = state.withLock { state in
            defer { state.completion = nil }
            return state.completion
        }
        completion?(photo)
    }
}
