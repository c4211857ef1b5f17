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
    /// Equal bytes are the same source: their requests share decodes, and what is cached of them.
    public let source: ImageSource
    /// The facts in its header, and its length.
    public let info: SourceInfo
}

extension ImagePipeline {
    /// Receives a picture in chunks, and runs `body` with it.
    ///
    /// A chunk is requested when the one before has been put away, in memory or, for a long picture, in a
    /// temporary file: a slow disk slows the sender down. What the limits forbid is refused as soon as it shows,
    /// at the latest when the header has arrived; then no further chunk is requested. The pixels are checked when
    /// they are decoded. At the end of `body`, memory and file are released.
    ///
    /// - Parameters:
    ///   - chunks: The bytes, in any portions. Its errors are rethrown, and it is left early if the picture is
    ///     refused.
    ///   - length: The length that the sender has announced, if it has.
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
        // Little at first: a sender that sends nothing keeps no memory from others.
        let share = SourceMemory.EarlyShare(sourceMemory, LivePriority(.normal), isSpooled: true)
        var body = try intake.body(.picture, limits, permit: try await share.acquire(), length)
        try body.expect(length)
        var digest = try? DigestStream(.sha256)
        for try await chunk in chunks {
            let bytes = Array(chunk)
            try digest?.update(bytes)
            try await body.append(bytes)
        }
        try Task.checkCancellation()
        if let length { try body.check(total: length) }
        let product = try body.finish()
        sourceMemory.record(product.count)
        let facts = try await codec.facts(of: product.input)
        try limits.check(facts)
        // Without a digest, equal bytes are different sources.
        let name = try digest?.finish().hexadecimal ?? "\(UInt64.random(in: 0...UInt64.max))"
        return (product, facts, "upload \(name)")
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
