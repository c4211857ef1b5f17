package import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeStore
import TaskFlow

/// Bytes that were made of a source, and what its origin said about it.
package struct DerivedBytes: Sendable {
    package let bytes: [UInt8]
    package let info: SourceInfo
    /// `nil` where the source came from no origin.
    package let standing: SourceStanding?
    /// How the store helped.
    package let cache: CacheUse
    /// The cache that gave it without a load; `nil` where the observer was told of a load.
    package var unloaded: PipelineEvent.Origin?
}

extension ImagePipeline {
    /// Gives what `make` makes of the source of `request`, from the store as long as that holds.
    ///
    /// The store treats it as it treats renditions: it is kept with the version of the source that it was made of, taken without
    /// a question while that is fresh, and renewed by a 304. What the store answers is no load: the observer is not told.
    ///
    /// - Parameters:
    ///   - name: What is made: the same name stands for the same of the same bytes, also in a later run. A new format has a new
    ///     name.
    ///   - request: Names the source; scaling and format are of no meaning.
    ///   - make: Makes it; what it asks of the same source needs no second download.
    /// - Returns: The bytes.
    /// - Throws: `LoadError`; `CancellationError`; what `make` throws.
    package func derived(
        _ name: String,
        of request: ImageRequest,
        make: @escaping @Sendable (HeldSource) async throws -> [UInt8]
    ) async throws -> DerivedBytes {
        guard let derivations, !hasEnded,
            let kept = try await derivations.record(name, request)
        else { return try await reloaded(name, of: request, make) }
        switch judge.verdict(kept.version, request.headers, request.cachePolicy) {
        case .serve(let use, asksMeanwhile: false):
            var derived = derived(kept, request, use)
            derived.unloaded = .store
            return derived
        case .refuse:
            throw LoadError(PictureStage.notCached)
        case .serve(_, asksMeanwhile: true):
            return try await renewed(kept, orServe: true, name, request, make)
        case .ask(let orServe):
            return try await renewed(kept, orServe: orServe, name, request, make)
        }
    }

    /// Makes it again.
    ///
    /// If the source is gone, the stored value is removed, so that the next process does not find it.
    private func reloaded(
        _ name: String,
        of request: ImageRequest,
        _ make: @escaping @Sendable (HeldSource) async throws -> [UInt8]
    ) async throws -> DerivedBytes {
        do {
            return try await made(name, of: request, make)
        } catch let failure as LoadError where request.cachePolicy == .reload && failure.isAbsence {
            derivations?.remove(name, request)
            throw failure
        }
    }

    /// Asks the origin whether what is kept is still right, and makes it anew if it is not.
    private func renewed(
        _ kept: DerivedRecord,
        orServe: Bool,
        _ name: String,
        _ request: ImageRequest,
        _ make: @escaping @Sendable (HeldSource) async throws -> [UInt8]
    ) async throws -> DerivedBytes {
        do {
            guard let version = kept.version, !version.response.validators.isEmpty else {
                return try await made(name, of: request, make)
            }
            return try await made(name, of: request, make, unless: version, kept)
        } catch let failure as LoadError where orServe && failure.isOriginTrouble {
            return derived(kept, request, .stale)
        } catch let failure as LoadError where failure.isAbsence {
            derivations?.remove(name, request)
            throw failure
        }
    }

    /// Makes it again, unless the origin confirms that `version` is still current.
    private func made(
        _ name: String,
        of request: ImageRequest,
        _ make: @escaping @Sendable (HeldSource) async throws -> [UInt8],
        unless version: SourceVersion,
        _ kept: DerivedRecord
    ) async throws -> DerivedBytes {
        try await perform(request) { request in
            let answer = try await sources.source(
                for: SourceKey(request),
                unless: version,
                priority: LivePriority(request)
            )
            switch answer {
            case .unchanged(let receipt):
                let renewed = DerivedRecord(bytes: kept.bytes, info: kept.info, version: receipt.version)
                derivations?.refresh(renewed, name, request)
                return (derived(renewed, request, .revalidated), .revalidated)
            case .source(let source):
                // Held, so that it is not loaded again.
                defer { source.stay() }
                return (try await made(name, of: request, make), .own)
            }
        }
    }

    private func made(
        _ name: String,
        of request: ImageRequest,
        _ make: @escaping @Sendable (HeldSource) async throws -> [UInt8]
    ) async throws -> DerivedBytes {
        try await holdingSource(of: request) { [derivations] source in
            let record = DerivedRecord(
                bytes: try await make(source),
                info: source.info,
                version: source.version
            )
            derivations?.write(record, name, request)
            return DerivedBytes(
                bytes: record.bytes,
                info: source.info,
                standing: source.standing,
                cache: source.cache
            )
        }
    }

    private func derived(_ record: DerivedRecord, _ request: ImageRequest, _ use: CacheUse) -> DerivedBytes {
        DerivedBytes(
            bytes: record.bytes,
            info: record.info,
            standing: record.version.map { standing($0, request) },
            cache: use
        )
    }
}

/// What was made of sources and is no picture, in the lasting store.
struct DerivedStore: Sendable {
    let store: WriteBehind
    let changes: SourceChanges
    /// The fields sent with each request of the pipeline: others may use the store too.
    let headers: [HeaderField]

    /// What is kept under `name` of the source of `request`; what its limits forbid, and what is no record, is nothing.
    ///
    /// - Throws: `CancellationError` when nobody wants it any more.
    func record(_ name: String, _ request: ImageRequest) async throws -> DerivedRecord? {
        guard request.cachePolicy.reads, let key = key(name, request),
            let entry = try await store.entry(for: key)
        else { return nil }
        do throws(RecordReader.Damage) {
            let record = try DerivedRecord(entry)
            guard !changes.forbids(record.version, of: request.sourceIdentity) else { return nil }
            return request.limits.allow(record.info.facts, record.info.bytes) ? record : nil
        } catch {
            store.remove(key)
            return nil
        }
    }

    /// Has the record written in the place of another, where its origin and the request allow it.
    func write(_ record: DerivedRecord, _ name: String, _ request: ImageRequest) {
        guard request.cachePolicy.writes, record.version?.isKeepable ?? true, let key = key(name, request)
        else { return }
        changes.keeping(record.version, of: request.sourceIdentity) {
            store.write(record.entry, for: key, isAnew: true)
        } undo: {
            store.remove(key)
        }
    }

    /// Has the version written anew.
    func refresh(_ record: DerivedRecord, _ name: String, _ request: ImageRequest) {
        guard request.cachePolicy.writes, let key = key(name, request) else { return }
        changes.keeping(record.version, of: request.sourceIdentity) {
            store.replaceMetadata(record.entry.metadata, for: key)
        } undo: {
            store.remove(key)
        }
    }

    /// Has the record removed.
    func remove(_ name: String, _ request: ImageRequest) {
        if let key = key(name, request) { store.remove(key) }
    }

    private func key(_ name: String, _ request: ImageRequest) -> StoreKey? {
        StoreKey(derived: name, of: request, sentWith: headers)
    }
}

/// What a store keeps of something that was made of a source: its bytes, and as metadata what the source was and which version.
struct DerivedRecord: Sendable {
    private static let layout: UInt8 = 2

    let bytes: [UInt8]
    let info: SourceInfo
    /// `nil` where the source came from no origin: it has no age.
    let version: SourceVersion?

    init(bytes: [UInt8], info: SourceInfo, version: SourceVersion?) {
        self.bytes = bytes
        self.info = info
        self.version = version
    }

    /// The entry for it.
    var entry: StoredEntry {
        var writer = RecordWriter(version: Self.layout)
        writer.add(info.facts)
        writer.add(info.bytes.bytes)
        writer.add(optional: version) { writer, version in version.write(to: &writer) }
        return StoredEntry(metadata: writer.bytes, bytes: bytes)
    }

    /// The record in `entry`.
    ///
    /// - Throws: `RecordReader.Damage`.
    init(_ entry: StoredEntry) throws(RecordReader.Damage) {
        var reader = try RecordReader(entry.metadata, version: Self.layout)
        info = SourceInfo(facts: try reader.facts(), bytes: ByteCount(try reader.number()))
        version = try reader.optional { reader throws(RecordReader.Damage) in try SourceVersion(&reader) }
        try reader.finish()
        bytes = entry.bytes
    }
}
