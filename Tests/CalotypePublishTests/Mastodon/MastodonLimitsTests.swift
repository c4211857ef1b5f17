import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1)))
struct MastodonLimitsTests {
    private static let configuration = """
        "configuration": {
            "statuses": {"max_characters": 500, "max_media_attachments": 4, "characters_reserved_per_url": 23},
            "media_attachments": {"supported_mime_types": ["image/JPEG", "video/mp4"], "image_size_limit": 16777216,
                "image_matrix_limit": 33177600, "video_size_limit": 103809024, "description_limit": 1500}}
        """

    private func limits(_ server: ScriptedServer) async throws -> MediaLimits {
        try await MastodonDestination(server: server.url, token: Secret("hunter2")).limits(server.client())
    }

    private func server() throws -> ScriptedServer {
        let server = try ScriptedServer()
        server.on("GET /api/v1/accounts/verify_credentials", .json(#"{"id": "1"}"#))
        return server
    }

    private func expectAll(_ limits: MediaLimits) {
        #expect(limits.count == 4)
        #expect(limits.types == ["image/jpeg", "video/mp4"])
        #expect(limits.imageBytes == ByteCount(16_777_216))
        #expect(limits.imagePixels == 33_177_600)
        #expect(limits.fileBytes == ByteCount(103_809_024))
        #expect(limits.textCharacters == 500)
        #expect(limits.linkCharacters == 23)
        #expect(limits.altTextCharacters == 1500)
        #expect(limits.scheduleAhead == .seconds(300))
    }

    @Test func `the limits are those of the instance`() async throws {
        let server = try server()
        server.on("GET /api/v2/instance", .json("{\"version\": \"4.4.1\", \(Self.configuration)}"))
        expectAll(try await limits(server))
        #expect(server.lines == ["GET /api/v2/instance", "GET /api/v1/accounts/verify_credentials"])
        #expect(server.transport.requests.allSatisfy { $0.headers["Authorization"] == "Bearer hunter2" })
    }

    @Test func `an older server reports them elsewhere`() async throws {
        let server = try server()
        server.on("GET /api/v1/instance", .json("{\"version\": \"3.5.0\", \(Self.configuration)}"))
        expectAll(try await limits(server))
        #expect(server.lines.prefix(2) == ["GET /api/v2/instance", "GET /api/v1/instance"])
    }

    @Test(arguments: [
        ScriptedResponse.status(404), .status(403), .bytes(Array("<html>".utf8)), .json("[]"), .json("null"),
    ])
    func `a server that reports no limits has none`(answer: ScriptedResponse) async throws {
        let server = try server()
        server.on("GET /api/v2/instance", answer)
        server.on("GET /api/v1/instance", answer)
        let limits = try await limits(server)
        #expect(limits == MediaLimits())
    }

    @Test func `invalid values are unknown, and the rest is used`() async throws {
        let server = try server()
        server.on(
            "GET /api/v2/instance",
            .json(
                """
                {"version": 4, "max_toot_chars": 5000, "configuration": {"statuses": {"max_media_attachments": 6},
                 "media_attachments": {"supported_mime_types": [], "image_size_limit": -1, "video_size_limit": "9"}}}
                """
            )
        )
        var expected = MediaLimits()
        (expected.count, expected.textCharacters, expected.scheduleAhead) = (6, 5000, .seconds(300))
        let limits = try await limits(server)
        #expect(limits == expected)
    }

    @Test(arguments: [
        // Mastodon, and snac2.
        ScriptedResponse.json(#"{"error": "The access token is invalid: hunter2"}"#, status: 401),
        .status(422),
    ])
    func `a wrong token is found out before anything is sent, and not shown`(
        answer: ScriptedResponse
    ) async throws {
        let server = try server()
        server.on("GET /api/v1/accounts/verify_credentials", answer)
        let failure = try #require(await publishFailure { try await limits(server) })
        #expect(failure.remedy == .none)
        #expect(failure.error.code.rawValue == "unauthorized")
        #expect(failure.error.message.contains("profile"))
        #expect(!"\(failure) \(failure.error)".contains("hunter2"))
    }

    @Test func `a token that does not allow to read may do`() async throws {
        let server = try server()
        server.on(
            "GET /api/v1/accounts/verify_credentials",
            .json(#"{"error": "This action is outside the authorized scopes"}"#, status: 403)
        )
        _ = try await limits(server)
    }

    @Test(arguments: [
        (ScriptedResponse.json(#"{"error": "Your login is currently disabled"}"#, status: 403), "http_403"),
        (.status(404), "http_404"), (.bytes(Array("<html>".utf8)), "invalid_document"),
    ])
    func `what is no account of such a server stops all`(answer: ScriptedResponse, code: String) async throws
    {
        let server = try server()
        server.on("GET /api/v1/accounts/verify_credentials", answer)
        let failure = try #require(await publishFailure { try await limits(server) })
        #expect(failure.remedy == .none)
        #expect(failure.error.code.rawValue == code)
    }

    @Test(arguments: ["GET /api/v2/instance", "GET /api/v1/accounts/verify_credentials"])
    func `a server that is down may come back`(line: String) async throws {
        let server = try server()
        server.on(line, .status(502))
        let failure = try #require(await publishFailure { try await limits(server) })
        #expect(failure.remedy == .retry)
    }

    @Test(arguments: [
        ("4.4.1", true), ("4.5.0-alpha.2+glitch", true), ("3.5.3", true),
        ("2.7.2 (compatible; Pleroma 2.6.0)", false),
        ("4.0.0 (not true; really snac/2.75)", false), ("0.17.3+git-5d0c4b8", false), ("2026.7.19", false),
        ("", false), ("4", false),
    ])
    func `only Mastodon is known to keep keys`(version: String, isMastodon: Bool) async throws {
        let server = try ScriptedServer()
        server.on("GET /api/v2/instance", .json("{\"version\": \"\(version)\"}"))
        let api = MastodonServer(url: server.url, token: Secret("1"), client: server.client())
        let instance = try #require(try await api.instance())
        #expect(instance.isMastodon == isMastodon)
    }

    @Test(arguments: [
        ("https://social.test", "mastodon+https://social.test", "/api/v2/instance"),
        ("http://127.0.0.1:8080/a/b/", "mastodon+http://127.0.0.1:8080/a/b", "/a/b/api/v2/instance"),
        ("https://ada:pw@social.test/?x=1", "mastodon+https://social.test", "/api/v2/instance"),
    ])
    func `a server may be below a path`(url: String, name: String, path: String) async throws {
        let server = try ScriptedServer(url)
        let destination = MastodonDestination(server: server.url, token: Secret("1"))
        #expect(destination.name == name)
        _ = await publishFailure { try await destination.limits(server.client()) }
        #expect(server.lines.first == "GET \(path)")
    }

    @Test(arguments: [
        ("", 0), ("ab  c\n", 6), ("see https://example.org/a/very/long/path/of/a/picture.jpg now", 31),
        ("(http://a.b)", 24), ("hi @ada@example.org!", 7), ("a@b.example @ada", 16), ("🐈‍⬛", 1),
    ])
    func `links and names count as the server counts them`(text: String, count: Int) {
        var limits = MediaLimits()
        #expect(limits.characterCount(of: text) == text.count)
        limits.linkCharacters = 23
        #expect(limits.characterCount(of: text) == count)
    }
}
