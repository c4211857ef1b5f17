import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypePublish

/// Files under names that are known, each of which is stored once.
@Suite(.timeLimit(.minutes(1))) struct S3StoreTests {
    private static let small = 70_000
    private static let large = 17 << 20

    @Test func `a file becomes an object under its name, if there is none, with its SHA-256`() async throws {
        try await withBucket { test in
            let medium = try sampleMedium(Self.small, in: test.folder)
            #expect(try await test.store.store(medium.file.path, as: "00000.tar"))
            let url = "/pictures/blog/00000.tar"
            #expect(test.bucket.log == ["HEAD \(url)", "PUT \(url)", "HEAD \(url)"])
            let request = try #require(test.bucket.transport.requests.first { $0.method == .put })
            #expect(request.headers["If-None-Match"] == "*")
            #expect(request.headers["x-amz-meta-sha256"] == medium.file.sha256)
            #expect(request.headers["Authorization"]?.contains("if-none-match") == true)
            #expect(try await test.store.store(medium.file.path, as: "00000.tar"))
            #expect(test.bucket.log.count == 4)
        }
    }

    @Test(arguments: [small, large])
    func `an object with other bytes stays, also if it appears in between`(_ size: Int) async throws {
        try await withBucket { test in
            let medium = try sampleMedium(size, in: test.folder)
            let foreign = FakeBucket.Object(size: size, tag: "0", sha256: "0")
            test.bucket.change { $0.objects["blog/a"] = foreign }
            #expect(try await !test.store.store(medium.file.path, as: "a"))
            #expect(test.bucket.log.count == 1)
            let (bucket, last) = (test.bucket, size == Self.small ? "PUT" : "POST")
            bucket.fail { request in
                guard request.headers["If-None-Match"] == "*", "\(request.method)" == last else { return nil }
                bucket.change { $0.objects["blog/b"] = foreign }
                return FakeBucket.error(412, "PreconditionFailed")
            }
            #expect(try await !test.store.store(medium.file.path, as: "b"))
            #expect(bucket.now.objects["blog/b"]?.sha256 == "0")
            #expect(bucket.now.uploads.isEmpty)
        }
    }

    @Test(arguments: [small, large])
    func `an object that a lost response has stored is this file`(_ size: Int) async throws {
        try await withBucket { test in
            let medium = try sampleMedium(size, in: test.folder)
            let (bucket, last) = (test.bucket, size == Self.small ? "PUT" : "POST")
            bucket.fail { request in
                guard request.headers["If-None-Match"] == "*", "\(request.method)" == last else { return nil }
                bucket.change {
                    $0.objects["blog/a"] = .init(size: size, tag: "", sha256: medium.file.sha256)
                }
                return FakeBucket.error(412, "PreconditionFailed")
            }
            #expect(try await test.store.store(medium.file.path, as: "a"))
        }
    }

    @Test(arguments: [small, large])
    func `a server without conditions stores the object anyway`(_ size: Int) async throws {
        try await withBucket { test in
            let medium = try sampleMedium(size, in: test.folder)
            test.bucket.fail(2) { request in
                request.headers["If-None-Match"] == nil ? nil : FakeBucket.error(501, "NotImplemented")
            }
            #expect(try await test.store.store(medium.file.path, as: "a"))
            #expect(test.bucket.now.objects["blog/a"]?.size == size)
        }
    }

    @Test func `an object without metadata is known by its entity tag`() async throws {
        try await withBucket { test in
            let medium = try sampleMedium(Self.small, in: test.folder)
            let tag = try #require(medium.file.md5)
            test.bucket.change { $0.objects["blog/a"] = .init(size: Self.small, tag: tag) }
            #expect(try await test.store.store(medium.file.path, as: "a"))
            test.bucket.change { $0.objects["blog/a"]?.tag = "0" }
            #expect(try await !test.store.store(medium.file.path, as: "a"))
        }
    }

    @Test func `the parts that a killed process has sent are not sent again`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 43)
            test.bucket.fail { $0.isPart(6) ? FakeBucket.error(403, "AccessDenied") : nil }
            let failed = await code { try await test.store.store(medium.file.path, as: "a") }
            #expect(failed == .http(status: 403))
            let count = test.bucket.now.receivedParts.count
            #expect(try await test.store.store(medium.file.path, as: "a"))
            #expect(test.bucket.now.begun == 1)
            #expect(count > 0 && test.bucket.now.receivedParts.sorted() == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test func `a cancelled upload in parts is aborted at the server`() async throws {
        try await withBucket { test in
            let medium = try test.largeMedium(mebibytes: 17)
            let isWaiting = Recorder<Bool>()
            test.bucket.fail { request in
                guard request.isPart(2) else { return nil }
                isWaiting.record(true)
                return .never
            }
            let running = Task { try await test.store.store(medium.file.path, as: "a") }
            try await isWaiting.wait(count: 1)
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
            #expect(test.bucket.now.uploads.isEmpty && test.bucket.now.objects.isEmpty)
        }
    }

    @Test func `a failure that may pass is tried again, another one is not`() async throws {
        try await withBucket { test in
            let medium = try sampleMedium(Self.small, in: test.folder)
            test.bucket.fail(3) { $0.method == .put ? FakeBucket.error(500, "InternalError") : nil }
            #expect(try await test.store.store(medium.file.path, as: "a"))
            #expect(test.bucket.log.filter { $0.hasPrefix("PUT") }.count == 4)
            test.bucket.fail { $0.method == .put ? FakeBucket.error(403, "AccessDenied") : nil }
            let failed = await code { try await test.store.store(medium.file.path, as: "b") }
            #expect(failed == .http(status: 403))
            #expect(test.bucket.log.filter { $0.hasPrefix("PUT") }.count == 5)
        }
    }

    @Test func `a bucket that cannot be used is noticed`() async throws {
        try await withBucket { test in
            try await test.store.check()
            test.bucket.fail { _ in FakeBucket.error(404, "NoSuchBucket", "No such bucket.") }
            let failed = await code { try await test.store.check() }
            #expect(failed == .http(status: 404))
        }
    }
}

extension BucketFixture {
    /// The bucket as a store, whose pauses take no time.
    fileprivate var store: S3Store {
        S3Store(destination, client, clock: HurriedClock(), random: { _ in .zero })
    }
}
