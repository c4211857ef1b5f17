import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1)))
struct PlainPostTests {
    private static let now = WallTime(secondsSince1970: 1_800_000_000)
    private static let send = "POST /posts?sig=hunter2"
    private static let lookUp = "GET /posts/k?sig=hunter2"

    private let server: ScriptedServer
    private let log: SessionLog

    init() throws {
        server = try ScriptedServer()
        log = SessionLog(server.client(now: Self.now))
    }

    private func publish(
        firstSent: Duration? = nil,
        settling: PostSettling? = nil
    ) async throws -> PublishedPost {
        let url = try WebURL("https://social.test/posts?sig=hunter2")
        let look = PostSettling.lookUp(template: "https://social.test/posts/{key}?sig=hunter2")
        let session = log.post(
            key: "k",
            mayHaveBeenSent: firstSent != nil,
            firstSent: firstSent.map { Self.now + $0 }
        )
        return try await PlainPost(url, settling: settling ?? look).publish(
            .sample("Hello", ids: []),
            session
        )
    }

    /// What the publisher makes of the attempt's failure.
    private func failure(
        firstSent: Duration? = nil,
        settling: PostSettling? = nil
    ) async throws -> PublishError {
        do {
            let post = try await publish(firstSent: firstSent, settling: settling)
            throw ScriptedDestination.failure(.none, ErrorCode(rawValue: "published_\(post.id ?? "")"))
        } catch {
            let failure = PublishError(error, isPost: true)
            #expect(!failure.description.contains("hunter2"))
            return failure
        }
    }

    // MARK: What an answer means

    @Test(arguments: [
        (ScriptedResponse.status(422), PublishError.Remedy.none), (.status(404), .none),
        (.status(408), .settle),
        (.status(429, headers: ["Retry-After": "7"]), .wait(.seconds(7))), (.status(500), .settle),
        (.status(503), .settle), (.status(503, headers: ["Retry-After": "7"]), .wait(.seconds(7))),
        (.failure(CalotypeError(.connectFailed, "", stage: .connect)), .retry),
        (.failure(CalotypeError(.connectionReset, "", stage: .response)), .settle),
    ])
    func `only what proves that nothing was done is a refusal`(
        answer: ScriptedResponse,
        remedy: PublishError.Remedy
    ) async throws {
        server.on(Self.send, answer)
        let failure = try await failure()
        #expect(failure.remedy == remedy)
    }

    @Test(arguments: [301, 302])
    func `a redirect that is not followed leaves it open`(status: Int) async throws {
        server.on(Self.send, .redirect(to: "/elsewhere", status: status))
        let failure = try await failure()
        #expect(failure.remedy == .settle)
        #expect(failure.error.code == .http(status: status))
    }

    @Test(arguments: [
        ScriptedResponse.status(401), .status(404), .status(422), .status(429), .status(423), .status(503),
        .status(503, headers: ["Retry-After": "7"]),
        .failure(CalotypeError(.connectFailed, "", stage: .connect)),
        .failure(CalotypeError(.tlsFailed, "", stage: .connect)),
        .redirect(to: "https://social.test/third", status: 301),
    ])
    func `another URL's response proves nothing about the post`(answer: ScriptedResponse) async throws {
        for status in [303, 307, 308] {
            server.on(Self.send, .redirect(to: "/elsewhere?sig=hunter2", status: status))
            for method in ["GET", "POST"] { server.on("\(method) /elsewhere?sig=hunter2", answer) }
            let failure = try await failure()
            #expect(failure.remedy == .settle)
        }
    }

    @Test(arguments: ["ftp://social.test/", "https://social.test:22/", "https://social.test:99999/", ""])
    func `a redirect to nowhere leaves it open`(target: String) async throws {
        server.on(Self.send, .redirect(to: target, status: 307))
        let failure = try await failure()
        #expect(failure.remedy == .settle)
    }

    @Test func `a redirect to the same URL leaves it open`() async throws {
        server.on(Self.send, .redirect(to: "/posts?sig=hunter2", status: 303))
        server.on("GET /posts?sig=hunter2", .status(405))
        let failure = try await failure()
        #expect(failure.remedy == .settle)
    }

    @Test func `a redirect to the post is a success`() async throws {
        server.on(Self.send, .redirect(to: "/posts/7", status: 303))
        server.on("GET /posts/7", .json(#"{"id": 7}"#))
        let post = try await publish()
        #expect(post.id == "7")
    }

    @Test(arguments: [
        ScriptedResponse.status(200, headers: ["Content-Type": "text/html"]), .status(200), .status(202),
        .status(204),
        .json("[]"), .json(#""ok""#), .json(#"{"error": "sign in"}"#), .json(#"{"errors": []}"#),
        .redirect(to: "/login", status: 303),
    ])
    func `a success that describes no post leaves the outcome unknown`(answer: ScriptedResponse) async throws
    {
        server.on(Self.send, answer)
        server.on("GET /login", .status(200, headers: ["Content-Type": "text/html"]))
        let failure = try await failure()
        #expect(failure.remedy == .settle)
        #expect(failure.error.code == .outcomeUnknown)
        server.on(Self.lookUp, answer)
        let asked = try await self.failure(firstSent: .seconds(-60))
        #expect(asked.error.code == .outcomeUnknown && asked.remedy == PublishError.Remedy.none)
    }

    @Test(arguments: [
        ScriptedResponse.status(201), .status(201, headers: ["Content-Type": "text/html"]),
        .status(200, headers: ["Location": "/posts/7"]), .json("{}"), .json(#"{"id": 7, "error": null}"#),
    ])
    func `a success that describes a post counts`(answer: ScriptedResponse) async throws {
        server.on(Self.send, answer)
        _ = try await publish()
    }

    // MARK: After a lost answer

    @Test func `the post is not sent again before an interrupted request has ended`() async throws {
        server.on(Self.lookUp, .status(404))
        server.on(Self.send, .json(#"{"id": 1}"#))
        let early = try await failure(firstSent: .seconds(-4))
        #expect(early.remedy == .settle)
        #expect(early.error.code == .outcomeUnknown)
        #expect(server.lines == [Self.lookUp])
        let post = try await publish(firstSent: .zero - PostSession.settlingTime)
        #expect(post.id == "1")
    }

    @Test func `a clock that was set back does not hold it up for longer`() async throws {
        server.on(Self.lookUp, .status(404))
        server.on(Self.send, .json(#"{"id": 1}"#))
        let early = try await failure(firstSent: .seconds(86_400))
        #expect(early.remedy == .settle)
        #expect(server.lines == [Self.lookUp])
        let now = Self.now + PostSession.settlingTime
        let session = PostSession(
            client: server.client(now: now),
            key: "k",
            mayHaveBeenSent: true,
            firstSent: Self.now + .seconds(86_400),
            state: log.state,
            remember: { _ in }
        )
        let url = try WebURL("https://social.test/posts?sig=hunter2")
        let look = PostSettling.lookUp(template: "https://social.test/posts/{key}?sig=hunter2")
        let post = try await PlainPost(url, settling: look).publish(.sample("Hello", ids: []), session)
        #expect(post.id == "1")
    }

    @Test func `so is one that was sent again`() async throws {
        server.on(Self.lookUp, .status(404))
        server.on(Self.send, .failure(ScriptedSite.reset), .json(#"{"id": 1}"#))
        let cut = try await failure(firstSent: .seconds(-60))
        #expect(cut.error.code == .connectionReset)
        let early = try await failure(firstSent: .seconds(-60))
        #expect(early.error.code == .outcomeUnknown)
        #expect(early.remedy == .settle)
        #expect(server.lines == [Self.lookUp, Self.send, Self.lookUp])
    }

    @Test func `a post that exists is found immediately`() async throws {
        server.on(Self.lookUp, .json(#"{"id": 1}"#))
        let post = try await publish(firstSent: .seconds(-1))
        #expect(post.id == "1")
        #expect(server.lines == [Self.lookUp])
    }

    @Test func `if the server cannot be queried, the error says where to look`() async throws {
        let failure = try await failure(firstSent: .seconds(-60), settling: .ask)
        #expect(failure.remedy == .none)
        #expect(failure.error.url == "https://social.test/posts")
        #expect(server.lines.isEmpty)
    }
}
