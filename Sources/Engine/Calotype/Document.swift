public import CalotypeCore
public import CalotypeHTTP
public import TaskFlow

/// What document a caller wants: a text that is about pictures, such as the JSON of a search.
public struct DocumentRequest: Hashable, Sendable {
    /// Where it is.
    public var url: String
    /// Fields sent to the origin besides the pipeline's own.
    public var headers: [HeaderField]
    /// How urgent it is.
    public var priority: WorkPriority
    /// How it treats what is stored already.
    public var cachePolicy: CachePolicy
    /// The most bytes of it, 8 MiB unless changed; more is `too_many_bytes`.
    public var limit: ByteCount
    /// Which addresses may be connected to; what the pipeline says where `nil`.
    public var addressPolicy: AddressPolicy?
    /// Whose request it is; requests of different partitions, such as tenants, never share anything.
    public var partition: String?

    /// Creates a request for the document at `url`.
    public init(_ url: String) {
        self.url = url
        headers = []
        priority = .normal
        cachePolicy = .use
        limit = .mebibytes(8)
    }

    /// The request for its bytes.
    var source: ImageRequest {
        var request = ImageRequest(url, priority: priority)
        request.headers = headers
        request.cachePolicy = cachePolicy
        request.limits.sourceBytes = limit
        request.partition = partition
        return request
    }
}

/// What was read out of a document, and how long it may be taken without asking again.
public struct Document<Value: Sendable>: Sendable {
    /// What its reader made of it.
    public let value: Value
    /// How what was stored helped.
    public let cache: CacheUse
    /// The end of its freshness (RFC 9111); `nil` for what may not be kept at all.
    public let freshUntil: WallTime?
}

extension Document: Equatable where Value: Equatable {}

extension ImagePipeline {
    /// Loads a document, such as the JSON that says where pictures are, and reads it.
    ///
    /// It goes the way that sources go: who wants the same at the same time shares the load; what is stored and fresh is
    /// taken without asking, what is stale is asked for with its validators. Only what `read` has accepted is stored, and
    /// only where ``PipelineConfiguration/stores`` has ``StoredContents/documents``. An answer of 429 is not asked for again.
    ///
    /// - Parameters:
    ///   - request: Names the document.
    ///   - read: Checks and decodes the bytes, on a thread of the pipeline's own. What it throws is thrown on; bytes from the
    ///     store that it does not accept are loaded anew first.
    /// - Returns: What `read` returned.
    /// - Throws: `LoadError`, with the origin's ``LoadError/answer`` where there is one; what `read` throws;
    ///   `CancellationError` when the task is cancelled.
    @concurrent
    public func document<Value: Sendable>(
        for request: DocumentRequest,
        read: @escaping @Sendable ([UInt8]) throws -> Value
    ) async throws -> Document<Value> {
        let reading = try await perform(request.source, for: .document) { source in
            let key = try SourceKey(source, .document, addressPolicy: request.addressPolicy)
            return try await self.reading(key, LivePriority(source), read)
        }
        return try reading.get()
    }

    /// Whether ``document(for:read:)`` answers without asking the origin first.
    ///
    /// A request hook is not asked: what it changes may make the answer wrong.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func answersUnasked(_ request: DocumentRequest) async throws -> Bool {
        guard request.cachePolicy.reads else { return false }
        guard request.cachePolicy != .cacheOnly else { return true }
        let key: SourceKey
        // A request that makes no sense fails where it is made.
        do { key = try SourceKey(request.source, .document, addressPolicy: request.addressPolicy) } catch {
            return true
        }
        return try await sources.hasFreshBytes(key)
    }

    /// Loads and reads what `key` names; that it cannot be read is no failure of the load.
    private func reading<Value: Sendable>(
        _ key: SourceKey,
        _ priority: LivePriority,
        _ read: @Sendable ([UInt8]) throws -> Value
    ) async throws -> (Result<Document<Value>, any Error>, PipelineEvent.Origin) {
        let (source, origin) = try await sources.find(key, priority: priority)
        defer { source.stay() }
        let bytes = try await source.input.bytes(on: disk)
        let receipt = source.receipt
        do {
            let value = try await disk.run { try read(bytes) }
            sources.keep(source, for: key)
            let version = receipt.version.flatMap { $0.isKeepable ? $0 : nil }
            let document = Document(
                value: value,
                cache: receipt.cache,
                freshUntil: version.map { judge.freshUntil($0, key.headers) }
            )
            return (.success(document), origin)
        } catch {
            // Whoever asks next gets a new answer, though others may still be reading this one.
            sources.withdraw(source, for: key)
            guard receipt.cache != .miss, key.cachePolicy.reads else { return (.failure(error), origin) }
            sources.forget(key)
            guard key.cachePolicy != .cacheOnly else { return (.failure(error), origin) }
            return try await reading(SourceKey(key, .reload), priority, read)
        }
    }
}
