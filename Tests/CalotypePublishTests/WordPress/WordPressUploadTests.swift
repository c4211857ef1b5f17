import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct WordPressUploadTests {
    private let upload = "POST wp/v2/media"
    private let process = "POST wp/v2/media/*/post-process"

    @Test(arguments: [true, false])
    func `a file is sent with its name, digest and alt text`(hasPaths: Bool) async throws {
        let site = try ScriptedSite(hasPaths: hasPaths)
        try await withScratchFolder { folder in
            let medium = try sampleMedium(100_000, in: folder, altText: "A <b>dog</b>")
            let log = SessionLog(site.client)
            let uploaded = try await site.destination.upload(medium, log.upload())
            let stored = try #require(site.contents.media.first)
            #expect(uploaded == UploadedMedium(id: "\(stored.id)", url: stored.source_url))
            #expect(stored.length == 100_000)
            #expect(stored.alt_text == "A <b>dog</b>")
            #expect(stored.title == "photo")
            #expect(stored.slug == "m-5d0c4b8e-0001-4000-8000-000000000000-0")
            #expect(log.acknowledged.values == [ByteCount(100_000)])
            #expect(log.sent.values.last == ByteCount(100_000))
            #expect(site.calls == [upload, "POST wp/v2/media/*"])
        }
    }

    @Test func `what an attempt may leave at the site is remembered before it is sent`() async throws {
        let site = try ScriptedSite()
        site.fail(upload, .lostRequest())
        try await withScratchFolder { folder in
            let log = SessionLog(site.client)
            let medium = try sampleMedium(10, in: folder)
            await #expect(throws: CalotypeError.self) {
                try await site.destination.upload(medium, log.upload())
            }
            let record = try #require(log.state.value(WordPressUpload.self))
            #expect(record.root == .path)
            #expect(record.slug == "m-5d0c4b8e-0001-4000-8000-000000000000-0")
        }
    }

    @Test(
        "a medium is at the site once, whichever answer is lost (P04)",
        arguments: [
            "POST wp/v2/media", "POST wp/v2/media/*", "GET wp/v2/media/*", "GET wp/v2/media",
        ]
    )
    func once(_ call: String) async throws {
        let site = try ScriptedSite()
        // One lost answer makes the attempts come by the look-ups too.
        site.fail(upload, .lostAnswer)
        site.fail("POST wp/v2/media/*", .lostAnswer)
        site.fail(call, .lostAnswer, .lostAnswer)
        try await withScratchFolder { folder in
            let log = SessionLog(site.client)
            let medium = try sampleMedium(1000, in: folder, altText: "Dog")
            let uploaded = try await attempting { _ in
                try await site.destination.upload(medium, log.upload())
            }
            #expect(site.contents.media.map { "\($0.id)" } == [uploaded.id])
            #expect(site.contents.media.first?.alt_text == "Dog")
            #expect(site.count(upload) == 1)
        }
    }

    @Test func `of a medium that arrives after it was given up, the second copy is removed`()
        async throws
    {
        let site = try ScriptedSite()
        site.fail(upload, .lostRequest(later: true))
        try await withScratchFolder { folder in
            let log = SessionLog(site.client)
            let medium = try sampleMedium(1000, in: folder)
            let uploaded = try await attempting { _ in
                try await site.destination.upload(medium, log.upload())
            }
            #expect(site.count(upload) == 2)
            #expect(site.contents.media.map { "\($0.id)" } == [uploaded.id])
            #expect(site.contents.media.first?.slug.hasSuffix("-2") == false)
        }
    }

    @Test func `smaller pictures that a failing server has not made are requested again`() async throws {
        let site = try ScriptedSite()
        site.fail(upload, .unfinished(500))
        site.fail(process, .refused(.status(500)), .refused(.status(502)))
        try await withScratchFolder { folder in
            let log = SessionLog(site.client)
            let medium = try sampleMedium(1000, in: folder)
            let uploaded = try await site.destination.upload(medium, log.upload())
            #expect(site.contents.media.map { "\($0.id)" } == [uploaded.id])
            #expect(site.contents.media.first?.missing_image_sizes == [])
            #expect(site.count(upload) == 1)
            #expect(site.count(process) == 3)
            #expect(log.processing.count == 1)
            #expect(log.pauses.values == [.seconds(2), .seconds(4)])
        }
    }

    @Test func `a picture that cannot be processed five times is removed, across attempts`()
        async throws
    {
        let site = try ScriptedSite()
        site.fail(upload, .unfinished(500))
        let refused = ScriptedSite.Fault.refused(.status(500))
        site.fail(process, refused, .lostRequest(), refused, refused, refused, refused)
        try await withScratchFolder { folder in
            let log = SessionLog(site.client)
            let medium = try sampleMedium(1000, in: folder)
            let failure = await #expect(throws: PublishError.self) {
                try await attempting { _ in try await site.destination.upload(medium, log.upload()) }
            }
            #expect(failure?.error.code == .processingFailed)
            #expect(failure?.remedy == PublishError.Remedy.none)
            #expect(site.count(process) == 5)
            #expect(site.contents.media.isEmpty)
            #expect(site.count(upload) == 1)
        }
    }

    @Test func `a server that died while it made smaller pictures is asked to make the rest`()
        async throws
    {
        let site = try ScriptedSite()
        site.fail(upload, .lostAnswer)
        try await withScratchFolder { folder in
            let log = SessionLog(site.client)
            let medium = try sampleMedium(1000, in: folder)
            await #expect(throws: CalotypeError.self) {
                try await site.destination.upload(medium, log.upload())
            }
            site.change { $0.media[0].missing_image_sizes = ["large"] }
            _ = try await site.destination.upload(medium, log.upload())
            #expect(site.contents.media.first?.missing_image_sizes == [])
            #expect(site.count(process) == 1)
        }
    }

    @Test func `a medium that somebody removed is sent again`() async throws {
        let site = try ScriptedSite()
        site.fail("POST wp/v2/media/*", .lostAnswer)
        try await withScratchFolder { folder in
            let log = SessionLog(site.client)
            let medium = try sampleMedium(1000, in: folder, altText: "Dog")
            await #expect(throws: CalotypeError.self) {
                try await site.destination.upload(medium, log.upload())
            }
            site.change { $0.media = [] }
            let uploaded = try await site.destination.upload(medium, log.upload())
            #expect(site.contents.media.map { "\($0.id)" } == [uploaded.id])
            #expect(site.count(upload) == 2)
        }
    }

    @Test(
        "a failure is judged by WordPress's own word before the status",
        arguments: [
            (500, "rest_upload_sideload_error", PublishError.Remedy.none),
            (412, "rest_upload_hash_mismatch", .retry), (400, "db_insert_error", .retry),
            (400, "rest_upload_no_content_disposition", .none), (500, "internal_server_error", .retry),
            (403, "rest_cannot_create", .none), (401, "rest_cannot_create", .none), (413, "", .none),
            (503, "", .retry), (429, "", .wait(nil)),
        ]
    )
    func judgement(_ status: Int, _ code: String, _ remedy: PublishError.Remedy) async throws {
        let site = try ScriptedSite()
        let answer =
            code.isEmpty
            ? ScriptedResponse.status(status) : SiteContents.refusal(status, code, "<b>Not</b> so.")
        site.fail(upload, .refused(answer))
        try await withScratchFolder { folder in
            let medium = try sampleMedium(1000, in: folder)
            let failure = await #expect(throws: PublishError.self) {
                try await site.destination.upload(medium, SessionLog(site.client).upload())
            }
            #expect(failure?.remedy == remedy)
            #expect(failure?.error.code == (status == 401 ? .unauthorized : .http(status: status)))
            #expect(failure?.error.message.contains("<b>") == false)
        }
    }

    @Test func `a file that a site fails over three times is not sent again`() async throws {
        let site = try ScriptedSite()
        let refused = ScriptedSite.Fault.refused(.status(500))
        site.fail(upload, refused, .refused(.status(502)), .lostRequest(), refused, refused)
        try await withScratchFolder { folder in
            let medium = try sampleMedium(1000, in: folder)
            let log = SessionLog(site.client)
            let failure = await publishFailure {
                try await attempting { _ in try await site.destination.upload(medium, log.upload()) }
            }
            #expect(failure?.remedy == PublishError.Remedy.none)
            #expect(failure?.error.message.contains("memory") == true)
            #expect(site.count(upload) == 5)
        }
    }

    @Test func `the first uploads of a month may fail to create its folder, and are repeated`()
        async throws
    {
        let site = try ScriptedSite()
        let message = "No puede crearse el directorio uploads/2026/11."
        site.fail(upload, .refused(SiteContents.refusal(500, "rest_upload_sideload_error", message)))
        try await withScratchFolder { folder in
            let medium = try sampleMedium(1000, in: folder)
            let log = SessionLog(site.client)
            let failure = await publishFailure { try await site.destination.upload(medium, log.upload()) }
            #expect(failure?.remedy == .retry)
            _ = try await site.destination.upload(medium, log.upload())
            #expect(site.contents.media.count == 1)
        }
    }
}
