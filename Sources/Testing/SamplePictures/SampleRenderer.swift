public import CalotypeCodec
public import CalotypeCore
package import CalotypeStore
import TaskFlow

/// Draws the pictures of a collection on demand.
///
/// Concurrent requests for one picture share the work.
///
/// Draws on threads of its own and encodes on the codec's. Caches the recently used encoded pictures in
/// memory.
public final class SampleRenderer: Sendable {
    /// The pictures to render.
    public let collection: SampleCollection
    private let codec: any ImageCoding
    private let specs: [String: SampleSpec]
    private let flights: Coalescer<String, [UInt8]>
    /// Limits the bitmaps in memory.
    ///
    /// One of 12 megapixels takes 48 MB.
    private let gate: AdmissionGate
    private let cache: MemoryCache<String, [UInt8]>

    fileprivate init(
        _ collection: SampleCollection,
        _ codec: any ImageCoding,
        _ memory: ByteCount,
        _ scope: TaskScope,
        _ executor: ThreadExecutor
    ) {
        self.collection = collection
        self.codec = codec
        specs = Dictionary(collection.specs.map { ($0.name, $0) }) { first, _ in first }
        flights = Coalescer(scope: scope, name: "sample picture", executor: executor)
        gate = AdmissionGate(capacity: executor.threadCount + 1)
        cache = MemoryCache(limits: .encoded(memory)) { ByteCount($0.count) }
    }

    /// Returns the encoded picture called `name`, or `nil` if the collection has none.
    ///
    /// - Throws: what the codec throws; `CancellationError`.
    public func bytes(named name: String) async throws -> [UInt8]? {
        guard let spec = specs[name] else { return nil }
        if let bytes = cache.value(for: name) { return bytes }
        return try await flights.value(for: name) { [self] _ in try await render(spec, as: name) }
    }

    /// Draws the picture called `name` at most `side` pixels wide and high, and returns it as JPEG.
    ///
    /// Returns `nil` if the collection has no picture of that name.
    ///
    /// - Throws: what the codec throws; `CancellationError`.
    public func smallBytes(named name: String, side: Int) async throws -> [UInt8]? {
        guard let spec = specs[name]?.small(side) else { return nil }
        let key = "\(side)/\(name)"
        if let bytes = cache.value(for: key) { return bytes }
        return try await flights.value(for: key) { [self] _ in try await render(spec, as: key) }
    }

    /// Renders the whole collection into the cache, as far as the memory allows.
    ///
    /// - Throws: the first error of the codec; `CancellationError`.
    public func renderAll() async throws {
        try await withConcurrentResults(of: collection.specs.map(\.name), limit: 4) { [self] name in
            _ = try await bytes(named: name)
        } body: { results in
            for try await _ in results.failFast {}
        }
        try Task.checkCancellation()
    }

    private func render(_ spec: SampleSpec, as key: String) async throws -> [UInt8] {
        // Another flight may have ended between the cache lookup and the start of this one.
        if let bytes = cache.value(for: key) { return bytes }
        let bytes = try await gate.withPermit { try await spec.encoded(by: self.codec) }
        cache.replaceValue(bytes, for: key)
        return bytes
    }
}

/// Runs `body` with a renderer.
///
/// Returns when its drawing and its threads have ended.
///
/// - Parameters:
///   - collection: the pictures to render.
///   - codec: encodes the pictures; it must outlive the call.
///   - threads: the number of drawing threads, 2 by default.
///   - memory: the cache size in encoded bytes, 256 MiB by default.
///   - body: uses the renderer.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws; `thread_not_started`.
public func withSampleRenderer<Output>(
    _ collection: SampleCollection,
    codec: any ImageCoding,
    threads: Int = 2,
    memory: ByteCount = .mebibytes(256),
    _ body: (SampleRenderer) async throws -> Output
) async throws -> Output {
    try await withThreadExecutor(name: "drawing", threads: threads) { executor in
        try await withTaskScope { scope in
            try await body(SampleRenderer(collection, codec, memory, scope, executor))
        }
    }
}

extension MemoryCacheLimits {
    /// Limits for encoded pictures of `bytes` in total.
    ///
    /// A single picture may take all of it.
    package static func encoded(_ bytes: ByteCount) -> MemoryCacheLimits {
        MemoryCacheLimits(bytes: bytes, count: .max, entryBytes: bytes)
    }
}
