import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// Which request gets which answer.
final class AnswerBook: Sendable {
    typealias Responder = @Sendable (HTTPRequest) -> ScriptedAnswer?
    typealias ReadingResponder = @Sendable (HTTPRequest, [UInt8]) -> ScriptedAnswer?

    private enum Script {
        case head(Responder)
        case body(ByteCount, ReadingResponder)
    }

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
        var scripts: [Script] = []
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
        state.withLock { $0.scripts.append(.head(responder)) }
    }

    func add(reading limit: ByteCount, _ responder: @escaping ReadingResponder) {
        state.withLock { $0.scripts.append(.body(limit, responder)) }
    }

    /// The answer by the URL, else by the first script that has one; of the body as much is read as the scripts want.
    func answer(to request: HTTPRequest, _ upload: ScriptedUpload) async throws -> ScriptedAnswer {
        let (answer, scripts) = state.withLock { state -> (ScriptedAnswer?, [Script]) in
            if let answer = state.sequences[request.url]?.take() { return (answer, []) }
            return (nil, state.scripts)
        }
        if let answer { return answer }
        for script in scripts {
            switch script {
            case .head(let respond):
                if let answer = respond(request) { return answer }
            case .body(let limit, let respond):
                if let answer = respond(request, try await upload.beginning(limit)) { return answer }
            }
        }
        return otherwise
    }
}
