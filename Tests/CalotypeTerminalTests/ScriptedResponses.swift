import CalotypeTestKit
import TaskFlow

/// Answers to questions that a test gives when it wants to; who is cancelled leaves at once.
final class ScriptedResponses<Answer: Sendable>: Sendable {
    private struct Call: Sendable {
        let question: String
        let answer = Latch<Result<Answer, any Error>>()
    }

    /// What was asked, in this order.
    let asked = Recorder<String>()
    /// What was asked and then cancelled.
    let cancelled = Recorder<String>()
    private let calls = Guarded<[Call]>([])

    /// The questions that wait for an answer.
    var open: [String] { calls.withLock { $0.map(\.question) } }

    func answer(to question: String) async throws -> Answer {
        let call = Call(question: question)
        calls.withLock { $0.append(call) }
        asked.record(question)
        do {
            return try await call.answer.wait().get()
        } catch is CancellationError {
            calls.withLock { $0.removeAll { $0.answer === call.answer } }
            cancelled.record(question)
            throw CancellationError()
        }
    }

    /// Answers the oldest question of these words.
    func give(_ result: Result<Answer, any Error>, to question: String) {
        let call = calls.withLock { calls in
            calls.firstIndex { $0.question == question }.map { calls.remove(at: $0) }
        }
        guard let call else { preconditionFailure("nobody waits for \(question)") }
        call.answer.set(result)
    }
}
