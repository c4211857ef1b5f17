import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct S3PostTests {
    private let key = "blog/posts/5d0c4b8e-0001-4000-8000-000000000000.json"

    private func draft(in folder: String) throws -> PostDraft {
        var post = Post("Two \"photos\"\nand a \u{1F600}")
        post.visibility = .unlisted
        post.language = "de"
        post.schedule = WallTime(secondsSince1970: 1_700_000_000)
        let first = try sampleMedium(10, in: folder, altText: "a tree")
        let second = try sampleMedium(20, in: folder, name: "b.mp4", type: "video/mp4", position: 1)
        return PostDraft(
            post,
            media: [
                .init(first, UploadedMedium(id: "blog/media/1.jpg", url: "http://s3.test/1")),
                .init(second, UploadedMedium(id: "blog/media/2.mp4")),
            ]
        )
    }

    @Test func `a post is a manifest with all that is known of its media, in order`() async throws {
        try await withBucket { test in
            let draft = try draft(in: test.folder)
            let published = try await test.destination.publish(draft, test.log.post())
            #expect(published.id == key)
            #expect(published.url == "http://s3.test/pictures/\(key)")
            #expect(published.media.map(\.id) == ["blog/media/1.jpg", "blog/media/2.mp4"])
            let request = try #require(test.bucket.transport.requests.last)
            #expect(request.headers["Content-Type"] == "application/json")
            #expect(request.headers["If-None-Match"] == "*")
            let body = try #require(test.bucket.transport.receivedBodies.last)
            let (first, second) = (draft.media[0].medium.file, draft.media[1].medium.file)
            #expect(
                String(decoding: body, as: UTF8.self)
                    == #"{"id":"5d0c4b8e-0001-4000-8000-000000000000","language":"de","media":["#
                    + #"{"alt":"a tree","key":"blog/media/1.jpg","name":"photo.jpg","sha256":"\#(first.sha256)","#
                    + #""size":10,"type":"image/jpeg","url":"http://s3.test/1"},"#
                    + #"{"key":"blog/media/2.mp4","name":"b.mp4","sha256":"\#(second.sha256)","#
                    + #""size":20,"type":"video/mp4"}],"schedule":"2023-11-14T22:13:20Z","#
                    + #""text":"Two \"photos\"\nand a 😀","visibility":"unlisted"}"#
            )
        }
    }

    @Test func `a server that knows no conditions gets the manifest without one`() async throws {
        try await withBucket { test in
            test.bucket.fail {
                $0.headers["If-None-Match"] != nil ? FakeBucket.error(501, "NotImplemented") : nil
            }
            _ = try await test.destination.publish(try draft(in: test.folder), test.log.post())
            #expect(test.bucket.log == ["PUT /pictures/\(key)", "PUT /pictures/\(key)"])
            #expect(test.bucket.now.objects[key] != nil)
        }
    }

    @Test func `a manifest that is there is not put again`() async throws {
        try await withBucket { test in
            let draft = try draft(in: test.folder)
            let first = try await test.destination.publish(draft, test.log.post())
            // As after a lost answer, with and without the knowledge that there may be one.
            let second = try await test.destination.publish(draft, test.log.post(mayHaveBeenSent: true))
            let third = try await test.destination.publish(draft, test.log.post())
            #expect(first == second)
            #expect(first == third)
            #expect(test.bucket.log.map { $0.prefix(4) } == ["PUT ", "HEAD", "PUT "])
            #expect(test.bucket.now.objects.count == 1)
        }
    }

    @Test(
        arguments: [
            (500, "InternalError", .settle), (503, "ServiceUnavailable", .settle), (502, nil, .settle),
            (503, nil, .settle), (504, nil, .settle), (200, "InternalError", .settle),
            (409, "ConditionalRequestConflict", .settle), (503, "SlowDown", .wait(nil)),
            (429, nil, .wait(nil)), (403, "AccessDenied", .none), (400, nil, .none),
        ] as [(Int, String?, PublishError.Remedy)]
    )
    func `after an ambiguous response the manifest may exist`(
        _ status: Int,
        _ code: String?,
        _ remedy: PublishError.Remedy
    ) async throws {
        try await withBucket { test in
            test.bucket.fail { _ in code.map { FakeBucket.error(status, $0) } ?? .status(status) }
            let failure = try await #require(throws: PublishError.self) {
                _ = try await test.destination.publish(try draft(in: test.folder), test.log.post())
            }
            #expect(failure.remedy == remedy)
        }
    }

    @Test func `a manifest whose tag is another may be there`() async throws {
        try await withBucket { test in
            let tag = "\"00000000000000000000000000000000\""
            test.bucket.fail { _ in .status(200, headers: ["ETag": tag]) }
            let failure = try await #require(throws: PublishError.self) {
                _ = try await test.destination.publish(try draft(in: test.folder), test.log.post())
            }
            #expect(failure.remedy == .settle)
        }
    }
}
