import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypePublish

/// A large file goes up in parts.
@Suite(.timeLimit(.minutes(1))) struct MultipartUploadTests {
    @Test func `a large file is sent in parts, and progress is reported part by part`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 43)
            let uploaded = try await test.destination.upload(medium, test.log.upload())
            let state = test.bucket.now
            #expect(state.objects[uploaded.id]?.size == medium.file.size.bytes)
            #expect(state.objects[uploaded.id]?.tag.hasSuffix("-6") == true)
            #expect(state.receivedParts.sorted() == [1, 2, 3, 4, 5, 6])
            #expect(state.uploads.isEmpty)
            #expect(test.bucket.transport.statistics.sentBytes.bytes < medium.file.size.bytes + 4096)
            #expect(test.bucket.transport.statistics.mostOpen <= MultipartUpload.width)
            let acknowledged = test.log.acknowledged.values
            #expect(acknowledged == acknowledged.sorted())
            #expect(acknowledged.last == medium.file.size)
            #expect(acknowledged.count == 7)
            #expect(test.log.sent.values.max() == medium.file.size)
            #expect(test.log.processing.count == 1)
        }
    }

    @Test func `parts are not signed a second time: their MD5 is`() async throws {
        try await withBucket { test in
            _ = try await test.destination.upload(try test.largeMedium(mebibytes: 17), test.log.upload())
            let request = try #require(test.bucket.transport.requests.first { $0.isPart(2) })
            #expect(request.headers["x-amz-content-sha256"] == "UNSIGNED-PAYLOAD")
            #expect(request.headers["Authorization"]?.contains("SignedHeaders=content-md5;host;") == true)
        }
    }

    @Test func `after a cut the parts under way are finished, and only the missing one is sent`()
        async throws
    {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 43)
            test.bucket.fail { $0.isPart(2) ? ScriptedResponse.cutConnection : nil }
            let error = try await test.failure(of: medium)
            #expect((error as? CalotypeError)?.code == .connectionReset)
            let before = test.bucket.now.receivedParts
            #expect(Set([1, 3, 4]).isSubset(of: before))
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(test.bucket.now.receivedParts.sorted() == [1, 2, 3, 4, 5, 6])
            #expect(test.bucket.now.begun == 1)
            #expect(test.log.acknowledged.values.last == medium.file.size)
        }
    }

    @Test func `a part that is damaged or too short at the server is sent again, the others are not`()
        async throws
    {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 43)
            test.bucket.fail {
                $0.method == .post && $0.url.text.contains("uploadId") ? ScriptedResponse.cutConnection : nil
            }
            _ = try await test.failure(of: medium)
            test.bucket.change { state in
                state.uploads["upload-1"]?.parts[2]?.tag = "00000000000000000000000000000000"
                state.uploads["upload-1"]?.parts[5]?.size -= 1
                state.receivedParts = []
            }
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(test.bucket.now.receivedParts.sorted() == [2, 5])
        }
    }

    @Test func `a part whose tag is wrong fails the attempt, and is sent again in the next`()
        async throws
    {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 17)
            test.bucket.fail { request in
                let tag = "\"00000000000000000000000000000000\""
                return request.isPart(3) ? .status(200, headers: ["ETag": tag]) : nil
            }
            let remedy = try await test.remedy(of: medium)
            #expect(remedy == .retry)
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(test.bucket.now.receivedParts.sorted() == [1, 2, 3])
        }
    }

    @Test func `an error in the body of a 200 is a failure that may pass; nothing is sent again`()
        async throws
    {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 17)
            test.bucket.fail { request in
                guard request.method == .post, request.url.text.contains("uploadId") else { return nil }
                return FakeBucket.error(200, "InternalError", "We encountered an internal error.")
            }
            let failure = try #require(try await test.failure(of: medium) as? PublishError)
            #expect(failure.remedy == .retry)
            #expect(failure.error.code == .http(status: 500))
            #expect(failure.error.message.contains("InternalError"))
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(test.bucket.now.receivedParts.count == 3)
        }
    }

    @Test func `an error in the body of a part's 200 is a failure`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 17)
            test.bucket.fail { $0.isPart(1) ? FakeBucket.error(200, "SlowDown") : nil }
            let remedy = try await test.remedy(of: medium)
            #expect(remedy == .wait(nil))
        }
    }

    @Test func `an upload that is gone at its end may be complete`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 17)
            let key = test.key(of: medium)
            let bucket = test.bucket
            bucket.fail { request in
                guard request.method == .post, request.url.text.contains("uploadId") else { return nil }
                bucket.change { state in
                    state.uploads = [:]
                    state.objects[key] = .init(size: medium.file.size.bytes, tag: "other-3")
                }
                return FakeBucket.error(404, "NoSuchUpload")
            }
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(test.log.acknowledged.values.last == medium.file.size)
        }
    }

    @Test func `an upload that no longer exists is restarted`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 17)
            test.bucket.fail { $0.isPart(2) ? ScriptedResponse.cutConnection : nil }
            _ = try await test.failure(of: medium)
            test.bucket.change { $0.uploads = [:] }
            let remedy = try await test.remedy(of: medium)
            #expect(remedy == .startOver)
            test.log.states.record(.none)
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(test.bucket.now.begun == 2)
        }
    }

    @Test func `a permanent failure immediately ends the other parts`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 43)
            test.bucket.fail(100) { request in
                if request.isPart(1) { return FakeBucket.error(403, "AccessDenied") }
                return request.method == .put ? .never : nil
            }
            let remedy = try await test.remedy(of: medium)
            #expect(remedy == PublishError.Remedy.none)
            #expect(test.bucket.transport.statistics.open == 0)
        }
    }

    @Test func `a file that became shorter ends the upload`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 43)
            _ = try SourceFile.writing([1, 2, 3], to: medium.file.path)
            let error = try await test.failure(of: medium)
            #expect((error as? CalotypeError)?.code == .sourceChanged)
        }
    }

    @Test func `a file that changes in place is not put together`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 17)
            let parts = Guarded(0)
            test.bucket.fail { request in
                // With the last of them the digests of all parts are known.
                guard (1...3).contains(where: request.isPart) else { return nil }
                let count = parts.withLock { count in
                    count += 1
                    return count
                }
                if count == 3 { #expect(throws: Never.self) { try test.change(medium.file) } }
                return nil
            }
            let error = try await test.failure(of: medium)
            #expect((error as? CalotypeError)?.code == .sourceChanged)
            #expect(test.bucket.now.objects.isEmpty)
            #expect(test.bucket.now.receivedParts.count == 3)
        }
    }

    @Test func `cancelling ends all parts, and discarding what the server has`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 43)
            test.bucket.fail(100) { request in
                request.method == .put && !request.isPart(1) ? .never : nil
            }
            try await withThrowingTaskGroup(of: (any Error).self) { group in
                group.addTask { try await test.failure(of: medium) }
                try await test.log.acknowledged.wait(count: 1)
                group.cancelAll()
                let error = try await group.next()
                #expect(error is CancellationError)
            }
            #expect(test.bucket.transport.statistics.open == 0)
            #expect(test.bucket.now.uploads.count == 1)
            try await test.destination.discard(test.log.state, nil, test.client)
            #expect(test.bucket.now.uploads.isEmpty)
        }
    }

    @Test func `a server that returns the same page forever is queried only once more`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 17)
            test.bucket.fail { $0.isPart(2) ? ScriptedResponse.cutConnection : nil }
            _ = try await test.failure(of: medium)
            test.bucket.fail(100) { request in
                guard request.method == .get else { return nil }
                return FakeBucket.xml(
                    "<ListPartsResult><IsTruncated>true</IsTruncated><NextPartNumberMarker>1</NextPartNumberMarker></ListPartsResult>"
                )
            }
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(test.bucket.log.filter { $0.hasPrefix("GET") }.count == 2)
        }
    }
}
