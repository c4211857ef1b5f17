import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct WordPressSignInTests {
    private func failure(_ site: ScriptedSite) async -> PublishError? {
        await #expect(throws: PublishError.self) { try await site.destination.limits(site.client) }
    }

    @Test(arguments: [
        ("https://blog.test", true, "https://blog.test/wp-json/"),
        ("https://blog.test/news?x=1", true, "https://blog.test/news/wp-json/"),
        ("https://blog.test/news/", false, "https://blog.test/news/?rest_route=/"),
    ])
    func `the REST interface is found below the home page`(
        home: String,
        hasPaths: Bool,
        root: String
    ) async throws {
        let site = try ScriptedSite(home, hasPaths: hasPaths)
        let limits = try await site.destination.limits(site.client)
        #expect(limits.visibilities == [.everyone, .unlisted, .followers])
        #expect(!limits.supportsContentWarnings && !limits.supportsFocus)
        let last = try #require(site.transport.requests.last?.url.text)
        #expect(last.hasPrefix("\(root)wp/v2/users/me"))
    }

    @Test func `a wrong password is reported before anything is sent, and never shown`() async throws {
        let site = try ScriptedSite()
        let wrong = WordPressDestination(
            site: site.destination.site,
            user: "anna",
            password: Secret("hunter2")
        )
        let failure = await #expect(throws: PublishError.self) { try await wrong.limits(site.client) }
        #expect(failure?.remedy == PublishError.Remedy.none)
        #expect(failure?.error.code == .unauthorized)
        #expect(failure?.error.message.contains("application password") == true)
        var dumped = ""
        dump((failure, wrong), to: &dumped)
        for shown in [dumped, "\(wrong)", wrong.name, failure?.description ?? ""] {
            #expect(!shown.contains("hunter2"))
            #expect(!shown.contains("YW5uYTpodW50ZXIy"))
        }
    }

    @Test(arguments: ["{}", #"{"upload_files": true}"#, #"{"upload_files": false, "publish_posts": true}"#])
    func `a user without the rights of an author is refused`(capabilities: String) async throws {
        let site = try ScriptedSite()
        site.change { $0.capabilities = capabilities }
        #expect(await failure(site)?.error.code == .notAllowed)
    }

    @Test(arguments: ["[]", #"{"upload_files": 1}"#])
    func `rights that cannot be read keep nobody out`(capabilities: String) async throws {
        let site = try ScriptedSite()
        site.change { $0.capabilities = capabilities }
        _ = try await site.destination.limits(site.client)
    }

    @Test(arguments: [(nil, .direct), ("Boats", nil)] as [(String?, Post.Visibility?)])
    func `a visibility or warning that the server does not know is refused before anything is sent`(
        warning: String?,
        visibility: Post.Visibility?
    ) async throws {
        var limits = MediaLimits()
        limits.visibilities = [.everyone]
        limits.supportsContentWarnings = false
        let destination = ScriptedDestination(taken: limits)
        let refusal = try await withPublishing { publishing in
            var post = try publishing.post(pictures: 1)
            post.visibility = .everyone
            _ = try await publishing.publisher.publish(post, to: destination)
            (post.contentWarning, post.visibility) = (warning, visibility)
            return await code { try await publishing.publisher.publish(post, to: destination) }
        }
        #expect(refusal == .postRefused)
        #expect(destination.uploads.count == 1)
    }

    @Test func `a site that is not WordPress is reported as such`() async throws {
        let site = try ScriptedSite(hasPaths: false)
        try site.transport.answer(
            "https://blog.test/?rest_route=/&_fields=namespaces,home",
            with: .bytes(Array("<html>".utf8))
        )
        let failure = await failure(site)
        #expect(failure?.error.code == .notWordPress)
        #expect(failure?.remedy == PublishError.Remedy.none)
    }

    @Test(arguments: [(503, PublishError.Remedy.retry), (429, .wait(nil)), (401, .none)])
    func `a site that does not respond now is not mistaken for another`(
        status: Int,
        remedy: PublishError.Remedy
    ) async throws {
        let site = try ScriptedSite()
        try site.transport.answer("https://blog.test/wp-json/?_fields=namespaces,home", with: .status(status))
        let failure = await failure(site)
        #expect(failure?.remedy == remedy)
        #expect(failure?.error.code == (status == 401 ? .unauthorized : .http(status: status)))
        #expect(site.transport.requests.count == 1)
    }

    @Test func `a site that has moved to https is named in the error, and does not receive the password`()
        async throws
    {
        let site = try ScriptedSite("http://blog.test/")
        try site.transport.answer(
            "http://blog.test/wp-json/?_fields=namespaces,home",
            with: .redirect(to: "https://blog.test/wp-json/?_fields=namespaces,home", status: 301)
        )
        let failure = await failure(site)
        #expect(failure?.error.code == .siteMoved)
        #expect(failure?.error.message.contains("https://blog.test") == true)
        #expect(failure?.remedy == PublishError.Remedy.none)
        #expect(site.transport.requests.last?.headers["Authorization"] == nil)
    }

    @Test(arguments: [301, 302, 307, 308])
    func `a redirected upload is an error with advice`(status: Int) async throws {
        let site = try ScriptedSite("http://blog.test/")
        site.fail(
            "POST wp/v2/media",
            .refused(.redirect(to: "https://other.test/wp-json/wp/v2/media", status: status))
        )
        try await withScratchFolder { folder in
            let medium = try sampleMedium(100, in: folder)
            let failure = await #expect(throws: PublishError.self) {
                try await site.destination.upload(medium, SessionLog(site.client).upload())
            }
            #expect(failure?.error.code == .siteMoved)
            #expect(failure?.remedy == PublishError.Remedy.none)
        }
    }
}
