import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

/// Answers were lost, and what the server has is found out.
@Suite(.timeLimit(.minutes(1))) struct MultipartRecoveryTests {
    @Test func `if the response to the last request was lost, the object is found`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 17)
            let key = test.key(of: medium)
            let bucket = test.bucket
            bucket.fail { request in
                guard request.method == .post, request.url.text.contains("uploadId") else { return nil }
                bucket.change { state in
                    state.uploads = [:]
                    state.objects[key] = .init(size: medium.file.size.bytes, tag: "")
                }
                return ScriptedResponse.cutConnection
            }
            _ = try await test.failure(of: medium)
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(bucket.now.receivedParts.count == 3)
            #expect(bucket.now.begun == 1)
        }
    }

    @Test func `if the response to the first request was lost, the upload is found`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 17)
            let key = test.key(of: medium)
            let bucket = test.bucket
            bucket.fail { request in
                guard request.url.text.hasSuffix("?uploads=") else { return nil }
                bucket.change { state in
                    state.begun = 1
                    state.uploads["upload-0"] = .init(key: "\(key)x")
                    state.uploads["upload-1"] = .init(key: key)
                }
                return ScriptedResponse.cutConnection
            }
            _ = try await test.failure(of: medium)
            bucket.fail { $0.isPart(3) ? ScriptedResponse.cutConnection : nil }
            _ = try await test.failure(of: medium)
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(bucket.now.begun == 1)
            #expect(bucket.now.receivedParts.sorted() == [1, 2, 3])
            #expect(bucket.now.objects[key] != nil)
            #expect(bucket.now.uploads.count == 1)
        }
    }

    @Test func `an upload whose responses were lost up to its parts continues with the parts`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 17)
            test.bucket.fail {
                $0.method == .post && $0.url.text.contains("uploadId") ? ScriptedResponse.cutConnection : nil
            }
            _ = try await test.failure(of: medium)
            // As if the journal had been cut before the upload's id was written.
            let first = try #require(test.log.states.values.first)
            test.log.states.record(first)
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(test.bucket.now.receivedParts.count == 3)
            #expect(test.bucket.now.begun == 1)
        }
    }

    @Test func `discarding aborts an upload whose name never arrived`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 17)
            let key = test.key(of: medium)
            test.bucket.change { $0.uploads["lost"] = .init(key: key) }
            try await test.destination.discard(
                RememberedState(S3UploadState(key: key, isInParts: true)),
                nil,
                test.client
            )
            #expect(test.bucket.now.uploads.isEmpty)
        }
    }

    @Test func `a server that never lists uploads is not asked twice, one that is busy is`() async throws {
        try await withBucket { test in
            let state = RememberedState(json: #"{"key":"k","isInParts":true}"#)
            test.bucket.fail { $0.method == .get ? FakeBucket.error(403, "AccessDenied") : nil }
            try await test.destination.discard(state, nil, test.client)
            test.bucket.fail { $0.method == .get ? FakeBucket.error(503, "SlowDown") : nil }
            let failure = try await #require(throws: PublishError.self) {
                try await test.destination.discard(state, nil, test.client)
            }
            #expect(failure.remedy == .wait(nil))
        }
    }

    @Test func `the parts of another publication with the same file are left alone`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 17)
            let other = SessionLog(test.client)
            test.bucket.fail { $0.isPart(2) ? ScriptedResponse.cutConnection : nil }
            await #expect(throws: CalotypeError.self) {
                try await test.destination.upload(medium, other.upload(key: "another-0"))
            }
            // The answer that names this publication's own upload is lost, so that it looks for one.
            test.bucket.fail { $0.url.text.hasSuffix("?uploads=") ? ScriptedResponse.cutConnection : nil }
            _ = try await test.failure(of: medium)
            test.bucket.fail { $0.isPart(3) ? ScriptedResponse.cutConnection : nil }
            _ = try await test.failure(of: medium)
            #expect(test.bucket.now.begun == 2)
            try await test.destination.discard(test.log.state, nil, test.client)
            #expect(test.bucket.now.uploads.keys.sorted() == ["upload-1"])
            _ = try await test.destination.upload(medium, other.upload(key: "another-0"))
            #expect(test.bucket.now.objects.count == 1)
        }
    }
}
