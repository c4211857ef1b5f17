import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPMessages
import CalotypeStore
import TaskFlow

/// One service: when it may be called, and how its refusals are interpreted.
final class CatalogService: Sendable {
    private let gate: CallGate?
    /// Whether 403 without a body means too many requests, as with the App Store.
    private let refusesByForbidding: Bool

    init(_ gate: CallGate?, refusesByForbidding: Bool = false) {
        self.gate = gate
        self.refusesByForbidding = refusesByForbidding
    }

    /// Loads the document at `url` when a call is allowed; a fresh stored document needs no call.
    ///
    /// - Throws: `CatalogError`, including errors of `read`; `CancellationError`.
    func document<Value: Sendable>(
        at url: String,
        through pipeline: ImagePipeline,
        _ configuration: CatalogConfiguration,
        read: @escaping @Sendable ([UInt8]) throws -> Value
    ) async throws -> Document<Value> {
        var request = DocumentRequest(url)
        // The user is waiting for this document, and does not know yet which pictures there are.
        request.priority = .high
        request.cachePolicy = configuration.cachePolicy
        request.addressPolicy = configuration.addressPolicy
        request.limit = configuration.documentLimit
        do {
            if try await !pipeline.needsNoRequest(request) { try await gate?.enter() }
            return try await pipeline.document(for: request, read: read)
        } catch let error as CalotypeError {
            throw translated(error)
        }
    }

    private func translated(_ error: CalotypeError) -> CatalogError {
        let response = error.load?.response
        if let response, isRateLimit(response) {
            var limited = CatalogError.rateLimited(for: pause(after: response))
            limited.url = error.url
            limited.cause = error
            return limited
        }
        return CatalogError(
            error.code,
            error.message,
            url: error.url,
            retryAfter: response?.retryAfter,
            cause: error
        )
    }

    /// Returns the length of the pause; `nil` if it is unknown.
    private func pause(after response: OriginResponse) -> Duration? {
        gate?.close(for: response.retryAfter) ?? response.retryAfter
    }

    /// A 403 with a page has another meaning and is not a rate limit.
    private func isRateLimit(_ response: OriginResponse) -> Bool {
        if response.status == 429 { return true }
        return response.status == 403 && refusesByForbidding && (response.bodyBytes?.bytes ?? 0) == 0
    }
}

/// The responses of one service.
///
/// Equal requests share one load, and responses are cached while they are fresh.
final class CatalogResponses<Entry: Sendable>: Sendable {
    typealias Listing = CatalogListing<Entry>
    typealias Reader = @Sendable ([UInt8]) throws -> Listing

    /// Identifies a listing: its URL, and the reader.
    private struct Key: Hashable {
        let url: String
        let part: String
    }

    /// A listing, and its approximate size in memory.
    private struct Kept {
        var listing: Listing
        var cost: ByteCount
    }

    private let pipeline: ImagePipeline
    private let service: CatalogService
    private let configuration: CatalogConfiguration
    private let memory: MemoryCache<Key, Kept>
    private let flights: Coalescer<Key, Kept>

    init(_ pipeline: ImagePipeline, _ service: CatalogService, _ configuration: CatalogConfiguration) {
        self.pipeline = pipeline
        self.service = service
        self.configuration = configuration
        memory = MemoryCache(limits: configuration.remembered, clock: configuration.clock) { $0.cost }
        flights = Coalescer(scope: pipeline.scope, name: "catalog")
    }

    /// The scope that owns the flights.
    var scope: TaskScope { pipeline.scope }

    /// The number of callers that wait for a response.
    var waiterCount: Int { flights.waiterCount }

    /// Returns the listing that `read` finds in the response at `url`.
    ///
    /// - Parameters:
    ///   - url: The URL of the response.
    ///   - part: Distinguishes readers that find different things at the same URL.
    ///   - read: Checks and decodes the response.
    /// - Returns: The listing, with the use of the cache.
    /// - Throws: `CatalogError`; `CancellationError`.
    func listing(at url: String, part: String = "", _ read: @escaping Reader) async throws -> Listing {
        try Task.checkCancellation()
        guard !pipeline.hasEnded else { throw CatalogError.pipelineClosed }
        let key = Key(url: url, part: part)
        if configuration.cachePolicy.reads, let kept = memory.value(for: key) {
            var listing = kept.listing
            listing.cache = .hit
            return listing
        }
        do {
            return try await flights.value(for: key) { _ in try await self.load(key, read) }.listing
        } catch TaskFlowError.Code.scopeEnded {
            throw CatalogError.pipelineClosed
        }
    }

    private func load(_ key: Key, _ read: @escaping Reader) async throws -> Kept {
        do {
            let document = try await service.document(at: key.url, through: pipeline, configuration) {
                bytes in
                Kept(listing: try read(bytes), cost: ByteCount(bytes.count))
            }
            var kept = document.value
            kept.listing.cache = document.cache
            kept.listing.freshUntil = document.freshUntil
            remember(kept, for: key)
            return kept
        } catch let error as CatalogError {
            throw error.at(key.url)
        }
    }

    private func remember(_ kept: Kept, for key: Key) {
        guard configuration.cachePolicy.writes, let end = kept.listing.freshUntil else { return }
        let time = end - configuration.wallClock()
        if time > .zero { memory.replaceValue(kept, for: key, timeToLive: time) }
    }
}

/// Builds the query of a URL from names and arbitrary values.
struct QueryText {
    private(set) var text = ""

    /// Adds a field, unless its value is `nil`.
    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        add(name, [value], separator: "")
    }

    /// Adds a field with several values, separated by an unescaped separator.
    mutating func add(_ name: String, _ values: [String], separator: String) {
        text += text.isEmpty ? "?" : "&"
        text += "\(name)=" + values.map { PercentEscapes.encoded($0) }.joined(separator: separator)
    }
}
