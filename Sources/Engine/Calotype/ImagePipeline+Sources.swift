import CalotypeCodec
public import CalotypeCore
import TaskFlow

extension ImagePipeline {
    /// Loads the source of `request` as it is; scaling and format of the request are of no meaning.
    ///
    /// It shares its download with whoever wants pictures of the source, except unchecked.
    ///
    /// - Parameters:
    ///   - request: names the source.
    ///   - check: what the bytes have to be, a picture unless asked otherwise.
    /// - Returns: the bytes, and what their header tells.
    /// - Throws: `CalotypeError`; `CancellationError` when the task is cancelled.
    public func data(for request: ImageRequest, check: SourceData.Check = .picture) async throws -> SourceData
    {
        try await withSource(of: request, check == .picture ? .picture : .anything) { source, codec, disk in
            let facts = check == .picture ? try await codec.facts(of: source.input) : nil
            // A download was checked on the way in; what lies here already was not.
            if let facts { try request.limits.check(facts) }
            return SourceData(bytes: try await source.input.bytes(on: disk), facts: facts)
        }
    }

    /// Tells what the picture in `source` is; nothing of it is decoded.
    ///
    /// - Throws: `CalotypeError`; `CancellationError` when the task is cancelled.
    public func info(of source: ImageSource, limits: ImageLimits = ImageLimits()) async throws -> SourceInfo {
        var request = ImageRequest(source)
        request.limits = limits
        return try await info(for: request)
    }

    /// Tells what the picture is that `request` names; nothing of it is decoded, and scaling and format are of no meaning.
    ///
    /// - Returns: what the header tells, and the length.
    /// - Throws: `CalotypeError`; `CancellationError` when the task is cancelled.
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
        try await withoutCosts {
            try await perform(request) { request in
                let key = try SourceKey(request, content)
                let (source, origin) = try await sources.find(key, priority: LivePriority(request))
                defer { source.stay() }
                do {
                    return (try await body(source, codec, disk), origin)
                } catch let error as CalotypeError {
                    throw source.receipt.failure(error)
                }
            }
        }
    }
}

extension CodecInput {
    /// All bytes, read on `executor` where they lie in a file.
    func bytes(on executor: any TaskExecutor) async throws -> [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .file: try await executor.run { try self.read() }
        }
    }
}

/// A source's very bytes.
public struct SourceData: Hashable, Sendable {
    /// What is asked of the bytes.
    public enum Check: Hashable, Sendable {
        /// They are a whole picture: format and limits are checked on the way in, the structure to its end.
        case picture
        /// They may be anything, such as JSON; only the limit on their number holds.
        case none
    }

    /// The bytes.
    public let bytes: [UInt8]
    /// What the picture's header tells; `nil` for bytes that were not checked.
    public let facts: ImageFacts?
}

/// What a source is: its header's facts and its length.
public struct SourceInfo: Hashable, Sendable {
    /// What the picture's header tells.
    public let facts: ImageFacts
    /// The length of the encoded picture.
    public let bytes: ByteCount
}

extension ImagePipeline {
    /// Brings the source of `request` into the lasting store, unless it is there and fresh; nothing of it is decoded.
    ///
    /// Scaling and format of the request are of no meaning. Pictures of the source need no download from then on. The
    /// write may be under way when this returns; the end of the pipeline's scope waits for it.
    ///
    /// - Throws: `CalotypeError`: `invalid_request` for what is no URL, and where the pipeline keeps no sources
    ///   (``PipelineConfiguration/stores``); `storage_failed` for a source that may not be stored, or is too large;
    ///   `CancellationError` when the task is cancelled.
    public func storeSource(of request: ImageRequest) async throws {
        try await storeSource(of: request, priority: LivePriority(request))
    }

    func storeSource(of request: ImageRequest, priority: LivePriority) async throws {
        try await withoutCosts {
            try await perform(request) { prepared in
                priority.follow(prepared, from: request)
                return ((), try await sources.store(try SourceKey(prepared), priority: priority))
            }
        }
    }
}
