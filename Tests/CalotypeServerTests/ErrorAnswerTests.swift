import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeServer

@Suite(.timeLimit(.minutes(1)))
struct ErrorAnswerTests {
    static let origins: [(ScriptedResponse, Int, String)] = [
        (.status(404), 404, "http_404"), (.status(410), 410, "http_410"), (.status(403), 403, "http_403"),
        (.status(500), 502, "http_500"), (.status(503), 502, "http_503"),
        (.status(206), 404, "protocol_error"),
        (.redirect(to: "http://origin.test/photo.jpg"), 404, "too_many_redirects"),
        (.bytes(Array("<html>".utf8)), 422, "unsupported_format"), (.bytes([]), 422, "unsupported_format"),
        (ScriptedResponse.bytes(ServerRig.photo).cut(after: ByteCount(100)), 422, "truncated_body"),
        (.bytes(Array(ServerRig.photo.prefix(ServerRig.photo.count - 40))), 422, "truncated_image"),
        (.failure(CalotypeError(.dnsFailed, "no such name", stage: .resolve)), 404, "dns_failed"),
        (.failure(CalotypeError(.timeoutHeaders, "no head", stage: .response)), 504, "timeout_headers"),
        (.failure(CalotypeError(.timeoutTotal, "too long", stage: .body)), 504, "timeout_total"),
        (.failure(CalotypeError(.blockedAddress, "private", stage: .resolve)), 404, "blocked_address"),
    ]

    @Test(arguments: origins.indices)
    func `each failure has its status and its code, and is not to be kept`(
        index: Int
    ) async throws {
        let (answer, status, code) = Self.origins[index]
        try await ServerRig.open { rig in
            rig.origin.answer { _ in answer }
            let told = await rig.get(ServerRig.path(), ["Accept": "application/json"])
            #expect(told.status == status)
            #expect(told.text.contains("\"code\":\"\(code)\""), Comment(rawValue: told.text))
            #expect(told.headers["Cache-Control"] == nil)
            #expect(told.headers["Content-Type"] == "application/json")
            let again = rig.atOnce(ServerRig.request(ServerRig.path()))
            #expect(again == nil, "a failure came from memory")
        }
    }

    @Test func `the text contains the reason, the code and the request, and nothing from outside`()
        async throws
    {
        try await ServerRig.open { rig in
            let target = "/unsafe/nonsense:<script>/plain/http://origin.test/<b>"
            let answer = await rig.get(target, ["X-Request-ID": "me"])
            #expect(answer.status == 404)
            #expect(answer.text == "Invalid URL\ncode: invalid_url\nrequest: me\n")
            #expect(answer.headers["Content-Type"] == "text/plain; charset=utf-8")
        }
    }

    @Test func `a server for development shows what was wrong`() async throws {
        try await ServerRig.open {
            $0.answers.areErrorsDetailed = true
        } _: { rig in
            let answer = await rig.get("/unsafe/nonsense:1/plain/http://origin.test/a")
            #expect(answer.text.contains("nonsense"))
        }
    }

    @Test func `a source in time's stead: the request's deadline is 504`() async throws {
        try await ServerRig.open {
            $0.timeout = .milliseconds(50)
        } _: { rig in
            rig.origin.answer { _ in .never }
            let answer = await rig.get(ServerRig.path())
            #expect(answer.status == 504)
            #expect(answer.text.contains("timeout_total"))
        }
    }

    @Test func `with a full queue the next request is rejected immediately, and later accepted again`()
        async throws
    {
        try await ServerRig.open {
            $0.queue.length = 2
            $0.pipeline.codec.threads = 1
        } _: { rig in
            let event = Event()
            rig.origin.answer { _ in .bytes(ServerRig.photo).after(.until(event)) }
            let waiting = (0..<3).map { number in
                Task { await rig.get(ServerRig.path("rs:fit:\(number + 10):10")) }
            }
            while rig.server.queue.count < 3 { await Task.yield() }
            let refused = rig.atOnce(ServerRig.request(ServerRig.path()))
            #expect(refused?.status == 429)
            #expect(refused?.headers["Retry-After"] == "1")
            event.signal()
            for task in waiting {
                let status = await task.value.status
                #expect(status == 200)
            }
            let after = await rig.get(ServerRig.path())
            #expect(after.status == 200)
        }
    }

    @Test func `sources of one host cannot fill the queue`() async throws {
        try await ServerRig.open {
            $0.queue.perSource = 1
        } _: { rig in
            let event = Event()
            try rig.origin.answer(
                "http://slow.test/a.jpg",
                with: .bytes(ServerRig.photo).after(.until(event))
            )
            let slow = Task { await rig.get("/unsafe/plain/http://slow.test/a.jpg") }
            while rig.server.queue.count < 1 { await Task.yield() }
            let second = await rig.get("/unsafe/plain/http://user%40SLOW.test:80/b.jpg")
            #expect(second.status == 429)
            let other = await rig.get(ServerRig.path())
            #expect(other.status == 200)
            event.signal()
            let status = await slow.value.status
            #expect(status == 200)
        }
    }

    @Test func `the fallback image replaces an unavailable one, and the log says why`()
        async throws
    {
        var pictures = OwnPictures()
        pictures.fallback = EncodedPicture(
            name: "fallback",
            bytes: TinyPicture.png(PixelSize(width: 40, height: 40))
        )
        try await ServerRig.open(
            { $0.fallback.timeToLive = .seconds(30) },
            pictures: pictures
        ) { rig in
            rig.origin.answer { _ in .status(404) }
            let answer = await rig.get(ServerRig.path("rs:fit:20:20"))
            #expect(answer.status == 200)
            #expect(answer.headers["Cache-Control"] == "max-age=30, public")
            #expect(answer.headers["Content-Type"] == "image/jpeg")
            #expect(answer.headers["ETag"] == nil)
            #expect(answer.record?.refusal?.code == .http(status: 404))
            #expect(answer.record?.size == PixelSize(width: 20, height: 20))
            let bad = await rig.get("/unsafe/nonsense:1/plain/http://origin.test/a")
            #expect(bad.status == 404)
        }
    }

    @Test func `without the server's secret nothing is made`() async throws {
        try await ServerRig.open {
            $0.secret = "sesame"
        } _: { rig in
            let without = await rig.get(ServerRig.path())
            #expect(without.status == 403)
            let wrong = await rig.get(ServerRig.path(), ["Authorization": "Bearer sesam"])
            #expect(wrong.status == 403)
            let right = await rig.get(ServerRig.path(), ["Authorization": "Bearer sesame"])
            #expect(right.status == 200)
            let health = await rig.get("/health")
            #expect(health.status == 200)
        }
    }

    @Test func `what has another method, or is reserved, is no picture`() async throws {
        try await ServerRig.open { rig in
            let post = await rig.get(ServerRig.path(), method: "POST")
            #expect(post.status == 405)
            #expect(post.headers["Allow"] == "GET, HEAD, OPTIONS")
            for target in ["/app", "/api/x", "/favicon.ico", "/health/x?y"] {
                let answer = await rig.get(target)
                #expect(answer.status == (target.hasPrefix("/health") ? 200 : 404), "\(target)")
            }
        }
    }

    @Test(arguments: [0, 1, 3])
    func `as many redirects are followed as configured`(_ most: Int) async throws {
        try await ServerRig.open {
            $0.pipeline.redirects = most
        } _: { rig in
            rig.origin.answer { request in
                guard let left = Int(request.url.text.suffix(1)), left > 0 else { return nil }
                return .redirect(to: "http://origin.test/\(left - 1)")
            }
            let enough = await rig.get(ServerRig.path("rs:fit:32:32", "\(most)"))
            #expect(enough.status == 200)
            let tooMany = await rig.get(ServerRig.path("rs:fit:32:32", "\(most + 1)"))
            #expect(tooMany.status == 404)
            #expect(tooMany.record?.refusal?.code == .tooManyRedirects)
        }
    }
}
