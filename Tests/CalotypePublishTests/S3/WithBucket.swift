import CalotypeCore
import CalotypeDigests
import CalotypeFiles
import CalotypeHTTP
import CalotypePlatform
import CalotypeTestKit
import TaskFlow

@testable import CalotypePublish

/// What a test of the S3 destination works with.
struct BucketFixture: Sendable {
    let bucket: FakeBucket
    let destination: S3Destination
    let log: SessionLog
    let client: PublishClient
    let folder: String
}

/// Runs `body` with an empty bucket called `pictures` at `http://s3.test`, and a folder.
func withBucket(
    prefix: String = "blog",
    now: @escaping @Sendable () -> WallTime = { WallTime(secondsSince1970: 1_700_000_000) },
    refresh: S3Destination.CredentialSource? = nil,
    _ body: (BucketFixture) async throws -> Void
) async throws {
    let bucket = FakeBucket()
    let client = PublishClient(HTTPClient(bucket.transport), now: now)
    let destination = try S3Destination(
        endpoint: WebURL("http://s3.test"),
        bucket: "pictures",
        prefix: prefix,
        credentials: S3Credentials(accessKey: "key", secretKey: Secret("secret")),
        refresh: refresh
    )
    try await withScratchFolder { folder in
        try await body(
            BucketFixture(
                bucket: bucket,
                destination: destination,
                log: SessionLog(client),
                client: client,
                folder: folder
            )
        )
    }
}

extension BucketFixture {
    /// A file of zeros of which each part differs from the others, written without its holes.
    func largeMedium(mebibytes: Int) throws -> PreparedMedium {
        let path = "\(folder)/large.mp4"
        let file = try OpenFile(path, O_RDWR | O_CREAT | O_TRUNC)
        let size = ByteCount.mebibytes(mebibytes)
        guard ftruncate(file.descriptor, size.bytes) == 0 else { throw SystemError("make a file") }
        for part in try PartPlan(size: size).parts {
            lseek(file.descriptor, part.offset.bytes, SEEK_SET)
            try file.write([UInt8(truncatingIfNeeded: part.number)])
        }
        let digests = try Self.digests(file, size.bytes)
        let source = SourceFile(
            path: path,
            size: size,
            modified: try Self.modified(file, 1_000_000_000),
            sha256: digests.0,
            md5: digests.1
        )
        return PreparedMedium(position: 0, name: "large.mp4", file: source, type: MediaType("video/mp4"))
    }

    /// Writes other bytes into the middle of a file, a second after it was made.
    func change(_ file: SourceFile) throws {
        let opened = try OpenFile(file.path, O_RDWR)
        lseek(opened.descriptor, file.size.bytes / 2, SEEK_SET)
        try opened.write([1, 2, 3])
        _ = try Self.modified(opened, file.modified + 1_000_000_000)
    }

    /// Sets when a file was changed last, in nanoseconds.
    private static func modified(_ file: OpenFile, _ moment: Int64) throws -> Int64 {
        let time = timespec(tv_sec: Int(moment / 1_000_000_000), tv_nsec: 0)
        guard unsafe futimens(file.descriptor, [time, time]) == 0 else { throw SystemError("set a time") }
        return moment
    }

    /// The key of a medium in the first publication's upload.
    func key(of medium: PreparedMedium) -> String {
        destination.key(of: medium, upload: log.upload().key)
    }

    private static func digests(_ file: OpenFile, _ size: Int) throws -> (String, String) {
        var sha256 = try DigestStream(.sha256)
        var md5 = try DigestStream(.md5)
        for offset in stride(from: 0, to: size, by: 1 << 20) {
            let block = try file.read(min(1 << 20, size - offset), at: offset)
            try sha256.update(block)
            try md5.update(block)
        }
        return (try sha256.finish().hexadecimal, try md5.finish().hexadecimal)
    }

    /// Makes one attempt that is expected to fail, and returns why.
    func failure(of medium: PreparedMedium) async throws -> any Error {
        do {
            _ = try await destination.upload(medium, log.upload())
        } catch {
            return error
        }
        throw CalotypeError(.invalidRequest, "the upload did not fail", stage: .request)
    }

    /// The remedy of an attempt that is expected to fail.
    func remedy(of medium: PreparedMedium) async throws -> PublishError.Remedy? {
        (try await failure(of: medium) as? PublishError)?.remedy
    }
}
