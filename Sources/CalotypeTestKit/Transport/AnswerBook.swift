import CalotypeHTTP
import TaskFlow

/// Which request gets which answer.
final class AnswerBook: Sendable {
    typealias Responder = @Sendable (HTTPRequest) -> ScriptedAnswer?

    /// The answers for one URL.
    private struct Sequence {
        let answers: [ScriptedAnswer]
        var next = 0

        mutating func take() -> ScriptedAnswer? {
            defer { next = min(next + 1, answers.count - 1) }
            return answers.isEmpty ? nil : answers[next]
        }
    }

    private struct State {
        var sequences: [WebURL: Sequence] = [:]
        var responders: [Responder] = []
    }

    private let otherwise: ScriptedAnswer
    private let state = Guarded(State())

    init(otherwise: ScriptedAnswer) {
        self.otherwise = otherwise
    }

    func add(_ answers: [ScriptedAnswer], for url: WebURL) {
        state.withLock { $0.sequences[url] = Sequence(answers: answers) }
    }

    func add(_ responder: @escaping Responder) {
        state.withLock { $0.responders.append(responder) }
    }

    /// The answer by the URL, else by the first responder that has one.
    func answer(to request: HTTPRequest) -> ScriptedAnswer {
        let (answer, responders) = state.withLock { state -> (ScriptedAnswer?, [Responder]) in
            if let answer = state.sequences[request.url]?.take() { return (answer, []) }
            return (nil, state.responders)
        }
        if let answer { return answer }
        for respond in responders {
            if let answer = respond(request) { return answer }
        }
        return otherwise
    }
}
