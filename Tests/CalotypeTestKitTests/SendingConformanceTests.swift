import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeTestKit
import Testing

/// What holds for every transport that sends a body: libcurl to a real origin, and the scripted one.
@Suite(.timeLimit(.minutes(2)))
struct SendingConformanceTests {
    enum Subject: CaseIterable { case curl, scripted }

    /// One behaviour of an origin, by the path where the real one shows it, and as a script.
    struct Case: Sendable, CustomTestStringConvertible {
        let path: String
        let answer: ScriptedResponse
        var status = 201
        var code: ErrorCode?
        /// The bytes that are sent before the end or the error.
        var sent = size...size

        var testDescription: String { path }
    }

    static let size = 8_000_000

    private static func reset(after percent: Int) -> ScriptedResponse {
        let error = CalotypeError(.connectionReset, "cut", stage: .response)
        return ScriptedResponse(beforeHead: [.receive(ByteCount(size / 100 * percent)), .failure(error)])
    }

    static let cases = [
        Case(path: "/receive", answer: .status(201)),
        Case(
            path: "/receive?most=10",
            answer: ScriptedResponse(status: 413, beforeHead: [.receive(ByteCount(0))]),
            status: 413,
            sent: 0...size
        ),
        Case(path: "/receive-cut/0", answer: reset(after: 0), code: .connectionReset, sent: 0...size),
        Case(path: "/receive-cut/10", answer: reset(after: 10), code: .connectionReset, sent: 800_000...size),
        Case(
            path: "/receive-reset/50",
            answer: reset(after: 50),
            code: .connectionReset,
            sent: 4_000_000...size
        ),
        Case(
            path: "/receive-cut/99",
            answer: reset(after: 99),
            code: .connectionReset,
            sent: 7_000_000...size
        ),
        Case(path: "/hang", answer: .status(405), status: 405, sent: 0...size),
    ]

    @Test(arguments: Subject.allCases, cases)
    func `an origin's behaviour is the same to the sender`(subject: Subject, behaviour: Case) async throws {
        try await open(subject, behaviour) { transport, url in
            var request = HTTPRequest(
                try WebURL(url),
                method: .post,
                body: HTTPBody([UInt8](repeating: 7, count: Self.size))
            )
            let progress = SendProgress()
            request.progress = progress
            let error = await failure {
                try await transport.withResponse(to: request) { response in
                    #expect(response.status == behaviour.status)
                    _ = try await response.body.collect()
                }
            }
            #expect((error as? CalotypeError)?.code == behaviour.code)
            #expect(behaviour.sent.contains(progress.sent.bytes))
        }
    }

    private func open(
        _ subject: Subject,
        _ behaviour: Case,
        _ body: (any HTTPTransporting, String) async throws -> Void
    ) async throws {
        switch subject {
        case .scripted:
            try await body(
                ScriptedTransport(otherwise: behaviour.answer),
                "http://origin.test\(behaviour.path)"
            )
        case .curl:
            let configuration = OriginConfiguration(pictures: PicturesInMemory([:]))
            try await withOrigin(configuration) { origin in
                try await withCurlTransport { transport in
                    try await body(transport, "http://127.0.0.1:\(origin.port)\(behaviour.path)")
                }
            }
        }
    }
}
