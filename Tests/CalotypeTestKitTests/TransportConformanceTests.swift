import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeTestKit
import Testing

/// What holds for every transport: libcurl against a real origin, and the scripted one.
@Suite(.timeLimit(.minutes(2)))
struct TransportConformanceTests {
    enum Subject: CaseIterable { case curl, scripted }

    /// One behaviour of an origin, by the path where the real one shows it, and as a script.
    struct Case: Sendable, CustomTestStringConvertible {
        let path: String
        let answer: ScriptedResponse
        var status = 200
        /// The bytes read before the end or the error.
        var bytes = 0...picture.count
        var code: ErrorCode?

        var testDescription: String { path }
    }

    static let picture = TinyPicture.png(PixelSize(width: 40, height: 30))
    static let large = [UInt8](repeating: 0, count: 1 << 20)
    static let whole = picture.count...picture.count
    static let part = 1...picture.count - 1

    static let cases = [
        Case(path: "/pictures/a.png", answer: .bytes(picture), bytes: whole),
        Case(
            path: "/chunked/a.png",
            answer: ScriptedResponse(length: .unknown, body: [.bytes(picture)]),
            bytes: whole
        ),
        Case(path: "/status/404", answer: .status(404), status: 404),
        Case(path: "/status/503", answer: .status(503), status: 503),
        Case(path: "/empty", answer: .status(200), bytes: 0...0),
        Case(path: "/loop", answer: .redirect(to: "/loop"), status: 302),
        Case(
            path: "/cut/50/a.png",
            answer: .bytes(picture).cut(after: ByteCount(1000)),
            bytes: part,
            code: .truncatedBody
        ),
        Case(
            path: "/hang",
            answer: .never,
            status: 0,
            code: .timeoutHeaders
        ),
        Case(
            path: "/stall/50/a.png",
            answer: .bytes(picture).cut(after: ByteCount(1000), then: .forever),
            bytes: part,
            code: .timeoutIdle
        ),
        Case(
            path: "/pictures/large.png",
            answer: .bytes(large),
            status: 0,
            code: .tooManyBytes
        ),
    ]

    @Test(arguments: Subject.allCases, cases)
    func `an origin's behaviour is the same to the reader`(subject: Subject, behaviour: Case) async throws {
        try await open(subject, behaviour) { transport, url in
            var request = HTTPRequest(try WebURL(url))
            request.timeouts.headers = .milliseconds(200)
            request.timeouts.idle = .milliseconds(200)
            request.limits.bodyBytes = .kibibytes(512)
            let seen = Recorder<Int>()
            var read = 0
            let error = await failure {
                try await transport.withResponse(to: request) { response in
                    seen.record(response.status)
                    guard response.status == 200 else { return }
                    for try await piece in response.body {
                        #expect((1...16_384).contains(piece.count))
                        read += piece.count
                    }
                }
            }
            #expect((error as? CalotypeError)?.code == behaviour.code)
            #expect(error == nil || (error as? CalotypeError)?.url == url)
            #expect(seen.values == (behaviour.status == 0 ? [] : [behaviour.status]))
            #expect(behaviour.bytes.contains(read))
        }
    }

    @Test(arguments: Subject.allCases, ["/hang", "/stall/50/a.png"])
    func `a cancelled reader gets CancellationError`(subject: Subject, path: String) async throws {
        let behaviour = try #require(Self.cases.first { $0.path == path })
        try await open(subject, behaviour) { transport, url in
            let load = Task {
                try await transport.withResponse(to: HTTPRequest(try WebURL(url))) {
                    _ = try await $0.body.collect()
                }
            }
            load.cancel()
            await #expect(throws: CancellationError.self) { try await load.value }
        }
    }

    @Test(arguments: Subject.allCases)
    func `a body is over with its exchange, and all iterators share its place`(subject: Subject) async throws
    {
        try await open(subject, Self.cases[0]) { transport, url in
            let body = try await transport.withResponse(to: HTTPRequest(try WebURL(url))) { response in
                var first = response.body.makeAsyncIterator()
                let piece = try await first.next()
                let rest = try await response.body.collect()
                #expect(((piece ?? []) + rest) == Self.picture)
                return response.body
            }
            await #expect(throws: CancellationError.self) { try await body.collect() }
        }
    }

    /// Runs `body` with a transport and the URL where it finds the behaviour.
    private func open(
        _ subject: Subject,
        _ behaviour: Case,
        _ body: (any HTTPTransporting, String) async throws -> Void
    ) async throws {
        switch subject {
        case .scripted:
            let url = "http://a.test" + behaviour.path
            let transport = ScriptedTransport()
            try transport.answer(url, with: behaviour.answer)
            try await body(transport, url)
            #expect(transport.statistics.open == 0)
        case .curl:
            let pictures = PicturesInMemory(["a.png": Self.picture, "large.png": Self.large])
            try await withOrigin(OriginConfiguration(pictures: pictures)) { origin in
                try await withCurlTransport { try await body($0, origin.url(behaviour.path)) }
            }
        }
    }
}
