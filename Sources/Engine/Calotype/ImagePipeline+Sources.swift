import CalotypeCodec
public import CalotypeCore
import TaskFlow

extension ImagePipeline {
    /// Loads the bytes of the source of `request`, ignoring the request's scaling and format.
    ///
    /// The download is shared with callers that want pictures of the source, unless `check` is `none`.
    ///
    /// - Parameters:
    ///   - request: The request that identifies the source.
    ///   - check: What to check the bytes for, a picture by default.
    /// - Returns: The bytes, and the facts in their header.
    /// - Throws: `CalotypeError`; `CancellationError` if the task is cancelled.
    public func data(for request: ImageRequest, check: SourceData.Check = .picture) async throws -> SourceData
    {
        try await withSource(of: request, check == .picture ? .picture : .anything) { source, codec, disk in
            let facts = check == .picture ? try await codec.facts(of: source.input) : nil
            // A download was checked as it arrived; a local source was not.
            if let facts { try request.limits.check(facts) }
            return SourceData(bytes: try await source.input.bytes(on: disk), facts: facts)
        }
    }

    /// Returns the format, dimensions and metadata of the picture in `source`, without decoding it.
    ///
    /// - Throws: `CalotypeError`; `CancellationError` if the task is cancelled.
    public func info(of source: ImageSource, limits: ImageLimits = ImageLimits()) async throws -> SourceInfo {
        var request = ImageRequest(source)
        request.limits = limits
        return try await info(for: request)
    }

    /// Returns the format, dimensions and metadata of the source of `request`, without decoding it.
    ///
    /// The request's scaling and format are ignored.
    ///
    /// - Returns: The facts in the header, and the length of the source.
    /// - Throws: `CalotypeError`; `CancellationError` if the task is cancelled.
    public func info(for request: ImageRequest) async throws -> SourceInfo {
        try await withSource(of: request, .picture) { source, codec, _ in
            SourceInfo(facts: try await codec.facts(of: source.input), bytes: source.receipt.byteCount)
        }
    }

    private func withSource<Output: Sendable>(
        of request: ImageRequest,
        _ content: SourceKey.Content,
        _ body: @Sendable (LoadedSource, any ImageCoding, any TaskExecutor) async throws -> Output
    ) async throws -> Output {
        try await perform(request) { request in
            let key = try SourceKey(request, content)
            let (source, origin) = try await sources.find(key, priority: LivePriority(request))
            defer { source.stay() }
            do {
                return (try await body(source, codec, disk), LoadResult(origin, source.receipt))
            } catch let error as CalotypeError {
                throw source.receipt.failure(error)
            }
        }
    }
}

extension CodecInput {
    /// All bytes, read on `executor` if they are in a file.
    func bytes(on executor: any TaskExecutor) async throws -> [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .file: try await executor.run { try self.read() }
        }
    }
}

/// The unchanged bytes of a source.
public struct SourceData: Hashable, Sendable {
    /// What the bytes are checked for.
    public enum Check: Hashable, Sendable {
        /// A complete picture.
        ///
        /// Format and limits are checked as the bytes arrive, then the structure to its end.
        case picture
        /// Nothing but the limit on their length: the bytes may be anything, such as JSON.
        case none
    }

    /// The bytes.
    public let bytes: [UInt8]
    /// The facts in the picture's header; `nil` for bytes that were not checked.
    public let facts: ImageFacts?
}

/// The facts in a source's header, and its length.
public struct SourceInfo: Hashable, Sendable {
    /// The facts in the picture's header.
    public let facts: ImageFacts
    /// The length of the encoded picture.
    public let bytes: ByteCount
}

extension ImagePipeline {
    /// Loads the source of `request` into the persistent store, unless a fresh copy is stored already.
    ///
    /// Nothing is decoded, and the request's scaling and format are ignored. Afterwards, pictures of the
    /// source need no download. The write may still be in progress when this method returns; the pipeline's
    /// scope waits for it before it ends.
    ///
    /// - Throws: `CalotypeError`: `invalid_request` if the source is not a URL, or if the pipeline does not
    ///   store sources (``PipelineConfiguration/stores``); `storage_failed` for a source that must not be
    ///   stored or is too large; `CancellationError` if the task is cancelled.
    public func storeSource(of request: ImageRequest) async throws {
        try await storeSource(of: request, priority: LivePriority(request))
    }

    func storeSource(of request: ImageRequest, priority: LivePriority) async throws {
        try await perform(request) { prepared in
            priority.follow(prepared, from: request)
            return ((), LoadResult(try await sources.store(try SourceKey(prepared), priority: priority)))
        }
    }
}
