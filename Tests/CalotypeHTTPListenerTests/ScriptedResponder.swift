import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeTestKit
import TaskFlow

/// Answers as a test says, and keeps what it is told.
struct ScriptedResponder: HTTPResponding {
    let immediate: @Sendable (IncomingRequest) -> OutgoingResponse?
    let answer: @Sendable (IncomingRequest) async -> OutgoingResponse
    let finished = Recorder<FinishedExchange>()
    let refused = Recorder<RefusedRequest>()
    var bodyLimit: @Sendable (IncomingRequest) -> ByteCount? = { _ in nil }
    /// The first answer, if it is not the immediate one.
    var first: (@Sendable (IncomingRequest) -> FirstAnswer?)?
    var drained: @Sendable () -> Void = {}

    init(
        immediate: @escaping @Sendable (IncomingRequest) -> OutgoingResponse? = { _ in nil },
        answer: @escaping @Sendable (IncomingRequest) async -> OutgoingResponse
    ) {
        self.immediate = immediate
        self.answer = answer
    }

    func firstAnswer(to request: IncomingRequest) -> FirstAnswer {
        first.flatMap { $0(request) } ?? immediate(request).map { .now($0) }
            ?? .task { await response(to: request) }
    }
    func response(to request: IncomingRequest) async -> OutgoingResponse { await answer(request) }
    func exchangeEnded(_ exchange: FinishedExchange) { finished.record(exchange) }
    func requestRefused(_ request: RefusedRequest) { refused.record(request) }
    func bodyLimit(for request: IncomingRequest) -> ByteCount? { bodyLimit(request) }
    func drainBegan() { drained() }
}

extension OutgoingResponse {
    /// A 200 with `text`.
    static func text(_ text: String, _ fields: (String, String)...) -> OutgoingResponse {
        OutgoingResponse(200, CalotypeHTTPListenerTests.fields(fields), .bytes(Array(text.utf8)))
    }
}

func fields(_ fields: [(String, String)]) -> HTTPHeaders {
    HTTPHeaders(fields.map { HeaderField($0.0, $0.1) })
}

/// Runs a test with a listener on a free port and a client for it, and sees that nothing is left of either.
func withTestListener(
    _ responder: ScriptedResponder,
    threads: Int = 8,
    configure: (inout HTTPListenerConfiguration) -> Void = { _ in },
    onEnd: () -> Void = {},
    _ body: (HTTPListener, RawClient) async throws -> Void
) async throws {
    var configuration = HTTPListenerConfiguration()
    configuration.port = 0
    configuration.threads = 2
    configure(&configuration)
    try await withQuietCheck { _ in
        try await withThreadExecutor(name: "raw client", threads: threads) { executor in
            try await withHTTPListener(configuration, answering: responder) { listener in
                try await body(listener, RawClient(port: listener.port, executor: executor))
            }
            onEnd()
        }
    }
}
