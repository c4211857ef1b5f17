import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct S3UploadTests {
    @Test func `a small file is put under the name of its bytes and its upload, with what proves them`()
        async throws
    {
        try await withBucket { test in
            let medium = try sampleMedium(70_000, in: test.folder)
            let uploaded = try await test.destination.upload(medium, test.log.upload())
            let upload = "5d0c4b8e-0001-4000-8000-000000000000-0"
            let key = "blog/media/\(medium.file.sha256)-\(upload).jpg"
            #expect(uploaded == UploadedMedium(id: key, url: "http://s3.test/pictures/\(key)"))
            #expect(test.bucket.log == ["HEAD /pictures/\(key)", "PUT /pictures/\(key)"])
            let request = try #require(test.bucket.transport.requests.last)
            #expect(request.headers["Content-Type"] == "image/jpeg")
            #expect(request.headers["x-amz-content-sha256"] == medium.file.sha256)
            #expect(test.bucket.now.objects[key]?.tag == medium.file.md5)
            #expect(test.log.acknowledged.values == [ByteCount(70_000)])
            #expect(test.log.sent.values.last == ByteCount(70_000))
        }
    }

    @Test func `what is there is not sent again, and is this upload's even where that is forgotten`()
        async throws
    {
        try await withBucket { test in
            let medium = try sampleMedium(100, in: test.folder)
            let first = try await test.destination.upload(medium, test.log.upload())
            test.log.states.record(.none)
            let second = try await test.destination.upload(medium, test.log.upload())
            #expect(first == second)
            #expect(test.bucket.log.filter { $0.hasPrefix("PUT") }.count == 1)
            #expect(test.log.acknowledged.values == [ByteCount(100), ByteCount(100)])
            try await test.destination.discard(test.log.state, nil, test.client)
            #expect(test.bucket.now.objects.isEmpty)
        }
    }

    @Test func `an object of another length is replaced`() async throws {
        try await withBucket { test in
            let medium = try sampleMedium(100, in: test.folder)
            let key = test.key(of: medium)
            test.bucket.change { $0.objects[key] = .init(size: 99, tag: "") }
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(test.bucket.now.objects[key]?.size == 100)
        }
    }

    @Test func `an empty file is an object, too`() async throws {
        try await withBucket { test in
            let medium = try sampleMedium(0, in: test.folder)
            let uploaded = try await test.destination.upload(medium, test.log.upload())
            #expect(test.bucket.now.objects[uploaded.id]?.size == 0)
        }
    }

    @Test func `other bytes at the server are a failure that may pass, unless its tags say nothing`()
        async throws
    {
        try await withBucket { test in
            let medium = try sampleMedium(100, in: test.folder)
            let tag = "\"00000000000000000000000000000000\""
            test.bucket.fail { request in
                request.method == .put ? .status(200, headers: ["ETag": tag]) : nil
            }
            let remedy = try await test.remedy(of: medium)
            #expect(remedy == .retry)
            #expect(test.log.acknowledged.count == 0)
            test.bucket.fail { request in
                guard request.method == .put else { return nil }
                return .status(200, headers: ["ETag": tag, "x-amz-server-side-encryption": "aws:kms"])
            }
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(test.log.acknowledged.values == [ByteCount(100)])
        }
    }

    @Test(arguments: [100, 20 << 20])
    func `a success without an entity tag is none that S3 gives`(size: Int) async throws {
        try await withBucket { test in
            let medium = try sampleMedium(size, in: test.folder)
            test.bucket.fail { request in
                guard request.method == .put else { return nil }
                return .status(200, headers: ["Content-Type": "text/html"])
            }
            let failed = await code { try await test.destination.upload(medium, test.log.upload()) }
            #expect(failed == .notStored)
        }
    }

    @Test func `before a request may leave something, the journal knows`() async throws {
        try await withBucket { test in
            let medium = try sampleMedium(100, in: test.folder)
            let isRemembered = Recorder<Bool>()
            let log = test.log
            test.bucket.fail { request in
                if request.method == .put { isRemembered.record(log.states.count == 1) }
                return nil
            }
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(isRemembered.values == [true])
        }
    }

    @Test func `limits show whether the bucket can be used`() async throws {
        try await withBucket { test in
            let limits = try await test.destination.limits(test.client)
            #expect(limits.fileBytes == PartPlan.largestFile())
            #expect(test.bucket.log == ["GET /pictures?list-type=2&max-keys=0&prefix=blog%2F"])
            test.bucket.fail { _ in FakeBucket.error(404, "NoSuchBucket", "No such bucket.") }
            let failure = try await #require(throws: PublishError.self) {
                try await test.destination.limits(test.client)
            }
            #expect(failure.remedy == .none)
            #expect(failure.error.code == .http(status: 404))
            #expect(failure.error.message.contains("create the bucket"))
            test.bucket.fail { _ in .bytes(Array("<html><body/></html>".utf8)) }
            let other = try await #require(throws: PublishError.self) {
                try await test.destination.limits(test.client)
            }
            #expect(other.remedy == .none)
            #expect(other.error.code == .invalidDocument)
        }
    }

    // MARK: Cleaning up

    @Test func `discarding deletes what this upload made`() async throws {
        try await withBucket { test in
            let medium = try sampleMedium(100, in: test.folder)
            let uploaded = try await test.destination.upload(medium, test.log.upload())
            try await test.destination.discard(test.log.state, uploaded, test.client)
            #expect(test.bucket.now.objects.isEmpty)
            try await test.destination.discard(test.log.state, uploaded, test.client)
        }
    }

    @Test func `discarding leaves the same file of another publication`() async throws {
        try await withBucket { test in
            let medium = try sampleMedium(100, in: test.folder)
            let failed = try await test.destination.upload(medium, test.log.upload())
            let other = SessionLog(test.client)
            let shown = try await test.destination.upload(medium, other.upload(key: "another-0"))
            try await test.destination.discard(test.log.state, failed, test.client)
            #expect(Array(test.bucket.now.objects.keys) == [shown.id])
            #expect(other.acknowledged.values == [ByteCount(100)])
        }
    }

    @Test func `an object is recognised as this upload's even if the response was lost`() async throws {
        try await withBucket { test in
            let medium = try sampleMedium(100, in: test.folder)
            let key = test.key(of: medium)
            let bucket = test.bucket
            let tag = try #require(medium.file.md5)
            bucket.fail { request in
                guard request.method == .put else { return nil }
                bucket.change { $0.objects[key] = .init(size: 100, tag: tag) }
                return .failure(CalotypeError(.connectionReset, "lost", stage: .response))
            }
            _ = try await test.failure(of: medium)
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(bucket.log.filter { $0.hasPrefix("PUT") }.count == 1)
            try await test.destination.discard(test.log.state, nil, test.client)
            #expect(bucket.now.objects.isEmpty)
        }
    }
}
