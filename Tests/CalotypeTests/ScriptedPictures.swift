import Calotype
import CalotypeCore
import CalotypeTestKit
import TaskFlow

/// Loads that end when and as the test says; the picture of a request is a text.
final class ScriptedPictures: Sendable {
    private struct Call: Sendable {
        let name: String
        let answer = Latch<Result<String, any Error>>()
    }

    /// The names that were asked for, in this order.
    let begun = Recorder<String>()
    /// The names whose load has ended with a cancellation.
    let cancelled = Recorder<String>()
    /// The priorities that came with the loads.
    let priorities = Recorder<LivePriority>()
    private let isDeaf: Bool
    private let calls = Guarded<[Call]>([])
    private let running = Guarded((now: 0, most: 0))

    /// Creates loads that heed a cancellation, unless they are deaf to it.
    init(isDeaf: Bool = false) {
        self.isDeaf = isDeaf
    }

    /// The loads that have not ended.
    var runningCount: Int { running.withLock { $0.now } }
    /// The most loads that there ever were at a time.
    var mostRunning: Int { running.withLock { $0.most } }

    func loader(_ scope: TaskScope) -> ImageLoader<String> {
        ImageLoader(scope: scope) { request, priority in
            self.priorities.record(priority)
            return try await self.load(request.name)
        }
    }

    /// Ends the oldest load of `name` with a picture of that name.
    func finish(_ name: String) {
        end(name, .success(name))
    }

    func fail(
        _ name: String,
        _ error: any Error = CalotypeError(.http(status: 404), "gone", stage: .response)
    ) {
        end(name, .failure(error))
    }

    /// Ends all loads that have begun, each with the picture of its name.
    func finishAll() {
        let calls = calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
        for call in calls { call.answer.set(.success(call.name)) }
    }

    private func load(_ name: String) async throws -> String {
        running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        defer { running.withLock { $0.now -= 1 } }
        let call = Call(name: name)
        calls.withLock { $0.append(call) }
        begun.record(name)
        guard !isDeaf else { return try await call.answer.waitUncancelled().get() }
        do {
            return try await call.answer.wait().get()
        } catch is CancellationError {
            calls.withLock { $0.removeAll { $0.answer === call.answer } }
            cancelled.record(name)
            throw CancellationError()
        }
    }

    private func end(_ name: String, _ result: Result<String, any Error>) {
        let call = calls.withLock { calls in
            calls.firstIndex { $0.name == name }.map { calls.remove(at: $0) }
        }
        guard let call else { preconditionFailure("\(name) is not being loaded") }
        call.answer.set(result)
    }
}

extension ImageRequest {
    /// The text that a scripted picture has.
    var name: String {
        if case .url(let text) = source { text } else { "" }
    }
}
