import CalotypeCodec
public import CalotypeCore
import CalotypeDigests
import CalotypeHTTP
import TaskFlow

/// A picture that somebody sends, such as the body of a request to a server: complete, with a readable header.
public struct Upload: Sendable {
    /// The picture as the source of requests.
    ///
    /// When the upload's scope has ended, a request fails with `invalid_request`, unless what it wants is cached.
    ///
    /// Equal bytes are the same source: their requests share decodes and cached results.
    public let source: ImageSource
    /// The facts in its header, and its length.
    public let info: SourceInfo
}

extension ImagePipeline {
    /// Receives a picture in chunks, and runs `body` with it.
    ///
    /// A chunk is requested when the one before has been stored, in memory or, for a long picture, in a temporary
    /// file: a slow disk slows the sender down. A picture that the limits forbid is refused as soon as that is
    /// known, usually when its header has arrived; then no further chunk is requested. The pixels are checked when
    /// they are decoded. At the end of `body`, memory and file are released.
    ///
    /// As many uploads are received at a time as callers ask for, however long their senders take: a server
    /// limits its requests. Senders that stall take no memory from downloads.
    ///
    /// - Parameters:
    ///   - chunks: The bytes, in chunks of any size. Its errors are rethrown, and it is not read to its end if
    ///     the picture is refused.
    ///   - length: The length that the sender has announced, if any.
    ///   - limits: What is accepted.
    ///   - body: Uses the picture.
    /// - Returns: What `body` returns.
    /// - Throws: `CalotypeError`: `too_many_bytes`, `too_many_pixels`, `filtered_size`, `unsupported_format`,
    ///   `corrupt_image`; `truncated_body` for another length than the announced one; `storage_failed`.
    ///   `CancellationError` if the task is cancelled; what `chunks` or `body` throws.
    public func withUpload<Chunks: AsyncSequence, Output>(
        _ chunks: Chunks,
        length: ByteCount? = nil,
        limits: ImageLimits = ImageLimits(),
        _ body: (Upload) async throws -> Output
    ) async throws -> Output where Chunks.Element: Sequence<UInt8> {
        guard !hasEnded else { throw Self.closedError }
        let (product, facts, name) = try await receive(chunks, length, limits)
        let held = HeldUpload(product)
        defer { held.end() }
        let provider = ImageProvider(id: name, held: held) { [disk] in
            try await held.product.input.bytes(on: disk)
        }
        let info = SourceInfo(facts: facts, bytes: ByteCount(product.count))
        return try await body(Upload(source: .provided(provider), info: info))
    }

    private func receive<Chunks: AsyncSequence>(
        _ chunks: Chunks,
        _ length: ByteCount?,
        _ limits: ImageLimits
    ) async throws -> (SourceBody.Product, ImageFacts, name: String) where Chunks.Element: Sequence<UInt8> {
        var body = try intake.body(.picture, limits, permit: sourceMemory.uploadShare(), length)
        try body.expect(length)
        var name = UploadName()
        for try await chunk in chunks {
            let bytes = Array(chunk)
            name.update(bytes)
            try await body.append(bytes)
        }
        try Task.checkCancellation()
        if let length { try body.check(total: length) }
        let product = try body.finish()
        sourceMemory.record(product.count)
        let facts = try await codec.facts(of: product.input)
        try limits.check(facts)
        return (product, facts, "upload \(name.finish())")
    }
}

/// The name of an upload under construction: the SHA-256 digest of its bytes.
///
/// If the system's library makes no digests, it is a random number, and equal bytes are different sources.
private struct UploadName: ~Copyable {
    private var digest = try? DigestStream(.sha256)

    mutating func update(_ bytes: [UInt8]) {
        do { try digest?.update(bytes) } catch { digest = nil }
    }

    consuming func finish() -> String {
        if let digest, let made = try? digest.finish() { return made.hexadecimal }
        return "\(UInt64.random(in: 0...UInt64.max))"
    }
}

/// The bytes of an upload, until its scope ends.
final class HeldUpload: Sendable {
    private let held: Guarded<SourceBody.Product?>

    init(_ product: SourceBody.Product) {
        held = Guarded(product)
    }

    /// The bytes; a load that has them keeps them.
    var product: SourceBody.Product {
        get throws(CalotypeError) {
            guard let product = held.withLock({ $0 }) else {
                throw CalotypeError(
                    .invalidRequest,
                    "the upload's scope has ended; use its source only within the closure of withUpload",
                    stage: .request
                )
            }
            return product
        }
    }

    /// Ends the scope.
    func end() {
        let product = held.withLock { held in
            defer { held = nil }
            return held
        }
        // Released outside the lock.
        withExtendedLifetime(product) {}
    }
}
