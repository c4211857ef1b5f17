public import CalotypeCore
public import CalotypeHTTP
public import TaskFlow

/// A request for a document: text about pictures, such as the JSON response of a search.
public struct DocumentRequest: Hashable, Sendable {
    /// The document's URL.
    public var url: String
    /// Header fields sent to the origin in addition to the pipeline's own.
    public var headers: [HeaderField]
    /// The priority of the load.
    public var priority: WorkPriority
    /// How the request uses the cache.
    public var cachePolicy: CachePolicy
    /// The maximum length of the document, 8 MiB by default; a longer one fails with `too_many_bytes`.
    public var limit: ByteCount
    /// The addresses that the pipeline may connect to; `nil` uses the pipeline's policy.
    public var addressPolicy: AddressPolicy?
    /// The owner of the request, such as a tenant; requests of different partitions never share anything.
    public var partition: String?

    /// Creates a request for the document at `url`.
    public init(_ url: String) {
        self.url = url
        headers = []
        priority = .normal
        cachePolicy = .use
        limit = .mebibytes(8)
    }

    /// The request for the document's bytes.
    var source: ImageRequest {
        var request = ImageRequest(url, priority: priority)
        request.headers = headers
        request.cachePolicy = cachePolicy
        request.limits.sourceBytes = limit
        request.partition = partition
        return request
    }
}

/// A value read from a document, and how long it stays fresh.
public struct Document<Value: Sendable>: Sendable {
    /// The value that the reader returned.
    public let value: Value
    /// How the cache was used.
    public let cache: CacheUse
    /// When the document stops being fresh (RFC 9111); `nil` if it must not be cached.
    public let freshUntil: WallTime?
}

extension Document: Equatable where Value: Equatable {}

extension ImagePipeline {
    /// Loads a document, such as the JSON that lists picture URLs, and reads it.
    ///
    /// A document is loaded like a source: concurrent callers with the same request share the load, fresh
    /// cache entries are used without a request, and stale ones are revalidated. Only bytes that `read`
    /// accepts are stored, and only if ``PipelineConfiguration/stores`` contains
    /// ``StoredContents/documents``. A 429 response is not retried.
    ///
    /// - Parameters:
    ///   - request: The document to load.
    ///   - read: Checks and decodes the bytes, on one of the pipeline's own threads. Its errors are rethrown.
    ///     If it rejects stored bytes, the document is first loaded again.
    /// - Returns: What `read` returned.
    /// - Throws: `CalotypeError`, with the origin's ``LoadDetails/response`` if it sent one; what `read`
    ///   throws; `CancellationError` if the task is cancelled.
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

    /// Whether ``document(for:read:)`` can return without a request to the origin.
    ///
    /// The request hook is not called, so the result may be wrong if the hook changes the request.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func needsNoRequest(_ request: DocumentRequest) async throws -> Bool {
        guard request.cachePolicy.reads else { return false }
        guard request.cachePolicy != .cacheOnly else { return true }
        let key: SourceKey
        // An invalid request fails when the document is loaded.
        do { key = try SourceKey(request.source, .document, addressPolicy: request.addressPolicy) } catch {
            return true
        }
        return try await sources.hasFreshBytes(key)
    }

    /// Loads and reads the document of `key`; a document that cannot be read does not fail the load.
    private func reading<Value: Sendable>(
        _ key: SourceKey,
        _ priority: LivePriority,
        _ read: @Sendable ([UInt8]) throws -> Value
    ) async throws -> (Result<Document<Value>, any Error>, LoadResult) {
        let (source, origin) = try await sources.find(key, priority: priority)
        defer { source.stay() }
        let bytes = try await source.input.bytes(on: disk)
        let receipt = source.receipt
        let result = LoadResult(origin, receipt)
        do {
            let value = try await disk.run { try read(bytes) }
            sources.keep(source, for: key)
            let version = receipt.version.flatMap { $0.isKeepable ? $0 : nil }
            let document = Document(
                value: value,
                cache: receipt.cache,
                freshUntil: version.map { judge.freshUntil($0, key.headers) }
            )
            return (.success(document), result)
        } catch {
            // The next caller loads the document again, though others may still be reading this copy.
            sources.withdraw(source, for: key)
            guard receipt.cache != .miss, key.cachePolicy.reads else { return (.failure(error), result) }
            sources.forget(key)
            guard key.cachePolicy != .cacheOnly else { return (.failure(error), result) }
            return try await reading(SourceKey(key, .reload), priority, read)
        }
    }
}
