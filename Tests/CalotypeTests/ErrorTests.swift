import CalotypeCore
import CalotypeHTTP
import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Limits, and what goes wrong on the way: each has its word.
@Suite(.timeLimit(.minutes(1)))
struct ErrorTests {
    private static let long = PipelineFixture.photo + [UInt8](repeating: 0, count: 1 << 20)

    @Test(arguments: [ScriptedResponse.Length.actual, .unknown], [SourceData.Check.picture, .none])
    func `a body above the limit fails early, announced or not`(
        length: ScriptedResponse.Length,
        check: SourceData.Check
    ) async throws {
        try await PipelineFixture.open { fixture in
            let answer = ScriptedResponse(length: length, body: [.bytes(Self.long)])
            try fixture.origin.answer(fixture.url("photo.jpg"), with: answer)
            var request = fixture.request()
            request.limits.sourceBytes = .kibibytes(64)
            let limited = request
            let load = fixture.start { try await $0.data(for: limited, check: check) }
            #expect(await code(of: load) == "too_many_bytes")
            let most = length == .actual ? 0 : ByteCount.kibibytes(80).bytes
            #expect(fixture.origin.statistics.bytes.bytes <= most)
        }
    }

    // By number: a test's log shows its arguments.
    private static let longSources: [ImageSource] = [
        .bytes(long), .provided(ImageProvider(id: "long") { long }), .file(path: "/proc/self/exe"),
    ]

    @Test(arguments: 0..<3)
    func `a local source above the limit is refused too`(index: Int) async throws {
        try await PipelineFixture.open { fixture in
            var request = ImageRequest(Self.longSources[index])
            request.limits.sourceBytes = .kibibytes(64)
            let limited = request
            #expect(await code(of: fixture.ask(limited)) == "too_many_bytes")
            #expect(await code(of: fixture.start { try await $0.data(for: limited) }) == "too_many_bytes")
        }
    }

    private static let photos: [ImageSource] = [
        .url("http://origin.test/photo.jpg"), .bytes(PipelineFixture.photo),
        .provided(ImageProvider(id: "photo") { PipelineFixture.photo }),
    ]

    @Test(arguments: 0..<3)
    func `too many pixels are refused by the header, whatever is requested`(index: Int) async throws {
        try await PipelineFixture.open { fixture in
            var request = ImageRequest(Self.photos[index])
            request.limits.streamedPixels = 100
            let limited = request
            #expect(await code(of: fixture.ask(limited)) == "too_many_pixels")
            #expect(await code(of: fixture.start { try await $0.bitmap(for: limited) }) == "too_many_pixels")
            #expect(await code(of: fixture.start { try await $0.data(for: limited) }) == "too_many_pixels")
            let info = fixture.start { try await $0.info(of: limited.source, limits: limited.limits) }
            // What an own picture is may be asked of any; a download would have to be paid for.
            #expect(await code(of: info) == (index == 0 ? "too_many_pixels" : nil))
        }
    }

    @Test func `an empty body is no picture; as raw bytes it is what it is`() async throws {
        try await PipelineFixture.open { fixture in
            try fixture.origin.answer(fixture.url("photo.jpg"), with: .bytes([]))
            let request = fixture.request()
            #expect(await code(of: fixture.ask(request)) == "unsupported_format")
            #expect(await code(of: fixture.start { try await $0.data(for: request) }) == "unsupported_format")
            let raw = try await fixture.start { try await $0.data(for: request, check: .none) }.value
            #expect(raw.bytes.isEmpty)
            for source in [ImageSource.bytes([]), .provided(ImageProvider(id: "empty") { [] })] {
                #expect(await code(of: fixture.ask(ImageRequest(source))) == "unsupported_format")
            }
        }
    }

    @Test func `what is no readable file says so and blocks nobody`() async throws {
        let pipe = "/tmp/calotype-test-\(UInt64.random(in: 0...UInt64.max))"
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        defer { unsafe unlink(pipe) }
        try await PipelineFixture.open { fixture in
            for path in ["/nonsense.jpg", "/tmp", "", pipe, "/dev/zero", "/nonsense\0.jpg"] {
                let request = ImageRequest(.file(path: path))
                #expect(await code(of: fixture.ask(request)) == "file_not_readable")
                for check in [SourceData.Check.picture, .none] {
                    let data = fixture.start { try await $0.data(for: request, check: check) }
                    #expect(await code(of: data) == "file_not_readable", "\(path)")
                }
            }
        }
    }

    @Test(arguments: [
        ("HTTP://origin.test/photo.jpg", nil), ("hTTp://ORIGIN.test/photo.jpg", nil),
        ("ftp://origin.test/a", "unsupported_scheme"),
        ("FILE:///etc/passwd", "unsupported_scheme"),
        ("data:image/gif;base64,R0lGODlh", "unsupported_scheme"),
        ("javascript:alert(1)", "unsupported_scheme"), ("//origin.test/photo.jpg", "invalid_url"),
        ("http://origin.test:25/", "blocked_port"), ("http://origin.test/\n", "invalid_url"),
    ])
    func `schemes are compared without case; files and data have sources of their own`(
        url: String,
        expected: String?
    ) async throws {
        try await PipelineFixture.open { fixture in
            #expect(await code(of: fixture.ask(ImageRequest(url))) == expected)
        }
    }

    static let redirects: [(String, ScriptedResponse, String?)] = [
        ("301", .redirect(to: "http://origin.test/photo.jpg", status: 301), nil),
        ("302, relative", .redirect(to: "../photo.jpg"), nil),
        ("307 to another host", .redirect(to: "//other.test/photo.jpg", status: 307), nil),
        ("308, query", .redirect(to: "?x", status: 308), "too_many_redirects"),
        ("to itself", .redirect(to: "/old/photo.jpg"), "too_many_redirects"),
        ("nowhere", .status(302), "invalid_redirect"),
        ("to a file", .redirect(to: "file:///etc/passwd"), "unsupported_scheme"),
    ]

    @Test(arguments: redirects.indices)
    func `redirects are followed, but not in circles or out of the web`(index: Int) async throws {
        try await PipelineFixture.open { fixture in
            let (_, answer, expected) = Self.redirects[index]
            fixture.origin.answer { $0.url.text.contains("/old/") ? answer : nil }
            #expect(await code(of: fixture.ask(fixture.request("old/photo.jpg"))) == expected)
            #expect(fixture.origin.statistics.requests <= 11)
        }
    }

    @Test func `a URL that is not accepted is asked neither first nor behind a redirect`()
        async throws
    {
        let asked = Recorder<String>()
        try await PipelineFixture.open {
            $0.retries = 3
            $0.acceptsURL = {
                asked.record($0.text)
                return $0.host == "origin.test"
            }
        } _: { fixture in
            try fixture.origin.answer(fixture.url("old.jpg"), with: .redirect(to: "//other.test/photo.jpg"))
            let first = ImageRequest("http://other.test/photo.jpg")
            for request in [first, fixture.request("old.jpg")] {
                #expect(await code(of: fixture.ask(request)) == "blocked_source")
            }
            #expect(fixture.origin.statistics.requests == 1)
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            let other = "http://other.test/photo.jpg"
            #expect(asked.values == [other, fixture.url("old.jpg"), other, fixture.url("photo.jpg")])
        }
    }

    @Test(arguments: [
        (200, nil), (203, nil), (299, nil), (204, "unsupported_format"), (300, "http_300"), (304, "http_304"),
        (401, "http_401"), (404, "http_404"), (410, "http_410"), (500, "http_500"), (599, "http_599"),
    ])
    func `only what is between 200 and 299 is a picture`(status: Int, expected: String?) async throws {
        try await PipelineFixture.open { fixture in
            let body: [ScriptedStep] = status == 204 ? [] : [.bytes(PipelineFixture.photo)]
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: ScriptedResponse(status: status, body: body)
            )
            #expect(await code(of: fixture.ask(fixture.request())) == expected)
        }
    }

    @Test func `the content counts, not what the origin calls it`() async throws {
        try await PipelineFixture.open { fixture in
            let text = ScriptedResponse(
                headers: ["Content-Type": "text/html"],
                body: [.bytes(PipelineFixture.photo)]
            )
            let page = ScriptedResponse(
                headers: ["Content-Type": "image/jpeg"],
                body: [.bytes(Array("<!doctype html><p>no".utf8))]
            )
            try fixture.origin.answer(fixture.url("photo.jpg"), with: text)
            try fixture.origin.answer(fixture.url("page.jpg"), with: page)
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            #expect(await code(of: fixture.ask(fixture.request("page.jpg"))) == "unsupported_format")
        }
    }

    @Test(arguments: [
        (ScriptedResponse.never, 10, "timeout_headers"),
        (.bytes(PipelineFixture.photo).cut(after: ByteCount(10), then: .forever), 15, "timeout_idle"),
        (.bytes(PipelineFixture.photo).inPieces(of: ByteCount(1), every: .seconds(9)), 60, "timeout_total"),
    ])
    func `an origin that falls silent is given up`(
        answer: ScriptedResponse,
        seconds: Int,
        expected: String
    ) async throws {
        try await PipelineFixture.open { fixture in
            try fixture.origin.answer(fixture.url("photo.jpg"), with: answer)
            let load = fixture.ask(fixture.request())
            while fixture.clock.advanceToNextSleeper() { fixture.settle() }
            #expect(await code(of: load) == expected)
            #expect(fixture.clock.now.offset == .seconds(seconds))
        }
    }

    @Test func `a temporary failure is retried as often as allowed, and the error says so`()
        async throws
    {
        try await PipelineFixture.open {
            $0.retries = 3
        } _: { fixture in
            let answer = ScriptedResponse.bytes(PipelineFixture.photo).cut(after: ByteCount(100))
            try fixture.origin.answer(fixture.url("photo.jpg"), with: answer)
            let request = fixture.request()
            let load = fixture.start { try await $0.load(request) }
            while fixture.clock.advanceToNextSleeper() { fixture.settle() }
            let failure = await #expect(throws: CalotypeError.self) { try await load.value }
            #expect(failure?.code == .truncatedBody)
            #expect(failure?.load?.attempts == 4)
            #expect(fixture.origin.statistics.requests == 4)
        }
    }

    @Test func `a cancel is not tried again`() async throws {
        try await PipelineFixture.open {
            $0.retries = 3
        } _: { fixture in
            _ = try fixture.hold()
            fixture.cancel(fixture.ask(fixture.request()))
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `a chunked body takes one request`() async throws {
        try await PipelineFixture.open { fixture in
            let chunked = ScriptedResponse(length: .unknown, body: [.bytes(PipelineFixture.photo)])
            try fixture.origin.answer(fixture.url("photo.jpg"), with: chunked)
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `the request hook adds what distinguishes requests, and rewrites the source`() async throws {
        try await PipelineFixture.open {
            $0.prepare = { request in
                var request = request
                request.headers.append(HeaderField("Authorization", request.partition ?? "none"))
                request.source = .url("http://origin.test/photo.jpg")
                return request
            }
        } _: { fixture in
            for partition in ["a", "b", "a"] {
                var request = ImageRequest("http://elsewhere.test/alias.jpg")
                request.partition = partition
                #expect(await code(of: fixture.ask(request)) == nil)
            }
            #expect(fixture.origin.requests.map { $0.headers["Authorization"] } == ["a", "b"])
            #expect(
                fixture.origin.requests.map(\.url.text)
                    == Array(repeating: fixture.url("photo.jpg"), count: 2)
            )
        }
    }

    static let misuses: [(String, @Sendable (inout ImageRequest) -> Void)] = [
        ("invalid_request", { $0.transform = .fit(-1, 10) }),
        ("invalid_url", { $0.source = .url("nowhere") }),
        ("unsupported_scheme", { $0.source = .url("file:///etc/passwd") }),
        ("invalid_request", { $0.headers = [HeaderField("A", "b\r\nC: d")] }),
        ("invalid_request", { $0.headers = [HeaderField("Host", "inside.test")] }),
    ]

    @Test(arguments: misuses.indices)
    func `what the request hook makes of a request is checked as any request is`(
        index: Int
    )
        async throws
    {
        try await PipelineFixture.open {
            $0.prepare = { request in
                var request = request
                Self.misuses[index].1(&request)
                return request
            }
        } _: { fixture in
            #expect(await code(of: fixture.ask(fixture.request())) == Self.misuses[index].0)
            #expect(fixture.origin.statistics.requests == 0)
        }
    }

    @Test func `what the request hook throws fails the load and is kept as its cause`() async throws {
        try await PipelineFixture.open {
            $0.prepare = { request in
                guard request.partition == nil else {
                    throw CalotypeError(.http(status: 401), "no token", stage: .request)
                }
                throw HeldStore.Broken()
            }
        } _: { fixture in
            let error = await #expect(throws: CalotypeError.self) {
                try await fixture.ask(fixture.request()).value
            }
            #expect(error?.code == .prepareFailed)
            #expect(error?.cause is HeldStore.Broken)
            #expect(error?.url == fixture.url("photo.jpg"))
            var request = fixture.request()
            request.partition = "a"
            #expect(await code(of: fixture.ask(request)) == "http_401")
        }
    }

    @Test func `what a provider throws fails the load and is kept as its cause`() async throws {
        try await PipelineFixture.open { fixture in
            let provider = ImageProvider(id: "broken") { throw HeldStore.Broken() }
            let error = await #expect(throws: CalotypeError.self) {
                try await fixture.ask(ImageRequest(.provided(provider))).value
            }
            #expect(error?.code == .providerFailed)
            #expect(error?.cause is HeldStore.Broken)
            #expect(error?.url == "broken")
        }
    }

    @Test func `a provider that takes longer than a source may is cancelled and timed out`() async throws {
        let cancelled = Event()
        let provider = ImageProvider(id: "slow") {
            await withTaskCancellationHandler {
                try? await Event().wait()
            } onCancel: {
                cancelled.signal()
            }
            throw HeldStore.Broken()
        }
        try await PipelineFixture.open {
            $0.timeout = .seconds(20)
        } _: { fixture in
            let load = fixture.ask(ImageRequest(.provided(provider)))
            fixture.advance(by: .seconds(19))
            #expect(!cancelled.hasHappened)
            fixture.advance(by: .seconds(1))
            #expect(cancelled.hasHappened)
            #expect(await code(of: load) == "timeout_total")
        }
    }

    @Test func `a deadline of a provider's own is the provider's failure`() async throws {
        try await PipelineFixture.open { fixture in
            let provider = ImageProvider(id: "strict") { throw TaskFlowError.deadlineExceeded }
            #expect(await code(of: fixture.ask(ImageRequest(.provided(provider)))) == "provider_failed")
        }
    }

    @Test func `a missing decoder and a decoder's own error are distinguished, and the latter is kept`()
        async throws
    {
        try await PipelineFixture.open { fixture in
            #expect(
                await code(of: fixture.ask(ImageRequest(.bytes(Array("%PDF-1.7".utf8)))))
                    == "unsupported_format"
            )
            #expect(
                await code(of: fixture.ask(ImageRequest(.bytes(Array(PipelineFixture.photo.dropLast(20))))))
                    == "truncated_image"
            )
            // Zeros in the place of the coefficients' end: the structure is sound, the data are not.
            var damaged = TinyPicture.png(PixelSize(width: 64, height: 48))
            for index in 60..<damaged.count - 40 { damaged[index] ^= 0x55 }
            let request = ImageRequest(.bytes(damaged), .fit(8, 8))
            let failure = await #expect(throws: CalotypeError.self) {
                try await fixture.start { try await $0.load(request) }.value
            }
            #expect(failure?.code == .corruptImage)
            #expect(failure?.stage == .decode)
            #expect(failure?.cause != nil)
        }
    }

    @Test func `a picture is never enlarged unless asked`() async throws {
        try await PipelineFixture.open { fixture in
            let sizes = [Transform.fit(640, 640), .fill(128, 48), .fit(128, 128, enlarges: true)].map {
                transform in
                fixture.ask(ImageRequest(fixture.url("photo.jpg"), transform))
            }
            var made: [PixelSize] = []
            for load in sizes { made.append(try await load.value.size) }
            #expect(
                made == [
                    PixelSize(width: 64, height: 48), PixelSize(width: 64, height: 24),
                    PixelSize(width: 128, height: 96),
                ]
            )
        }
    }
}
