package import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeStore
import TaskFlow

/// Bytes made from a source that are not a picture.
package struct DerivedBytes: Sendable {
    package let bytes: [UInt8]
    package let info: SourceInfo
    package internal(set) var provenance: Provenance
    /// How the cache helped.
    package internal(set) var cache: CacheUse
    /// Whether there was a load, of which the observer was notified; otherwise the cache had the bytes.
    package internal(set) var isLoaded = true

    /// Returns the bytes as a load obtained them with the help of the cache.
    fileprivate func used(_ cache: CacheUse) -> DerivedBytes {
        var bytes = self
        bytes.cache = cache
        return bytes
    }
}

extension ImagePipeline {
    /// Returns what `make` makes from the source of `request`, from the store if it is still current.
    ///
    /// The store handles the bytes like renditions: it keeps them with the version of their source, they need
    /// no request while that is fresh, and a 304 renews them. A hit in the store is no load: the observer is
    /// not notified.
    ///
    /// - Parameters:
    ///   - name: Identifies what is made, also in later runs. If the format changes, the name must change too.
    ///   - request: Names the source; the request's scaling and format are ignored.
    ///   - make: Makes the bytes. Its own requests for the same source need no second download.
    /// - Returns: The bytes.
    /// - Throws: `CalotypeError`; `CancellationError`; what `make` throws.
    package func derived(
        _ name: String,
        of request: ImageRequest,
        make: @escaping @Sendable (HeldSource) async throws -> [UInt8]
    ) async throws -> DerivedBytes {
        let wanted = Derivation(
            name,
            of: request,
            since: derivations?.changes.moment(of: request.sourceIdentity)
        )
        guard let derivations, !hasEnded, let kept = try await derivations.bytes(wanted)
        else { return try await reloaded(wanted, make) }
        switch judge.verdict(kept.provenance.version, request.headers, request.cachePolicy) {
        case .serve(let use, asksMeanwhile: false):
            var derived = kept.used(use)
            derived.isLoaded = false
            return derived
        case .refuse:
            throw PictureStage.notCached.ofLoad
        case .serve(_, asksMeanwhile: true):
            return try await renewed(kept, orServe: true, wanted, make)
        case .ask(let orServe):
            return try await renewed(kept, orServe: orServe, wanted, make)
        }
    }

    /// Makes it again.
    ///
    /// If the source is gone, the stored value is removed, so that the next process does not find it.
    private func reloaded(
        _ wanted: Derivation,
        _ make: @escaping @Sendable (HeldSource) async throws -> [UInt8]
    ) async throws -> DerivedBytes {
        do {
            return try await made(wanted, make)
        } catch let error as CalotypeError where wanted.request.cachePolicy == .reload && error.isAbsence {
            derivations?.remove(wanted)
            throw error
        }
    }

    /// Asks the origin whether stored bytes are still current, and makes them again if they are not.
    private func renewed(
        _ kept: DerivedBytes,
        orServe: Bool,
        _ wanted: Derivation,
        _ make: @escaping @Sendable (HeldSource) async throws -> [UInt8]
    ) async throws -> DerivedBytes {
        do {
            guard let version = kept.provenance.version, !version.response.validators.isEmpty else {
                return try await made(wanted, make)
            }
            return try await made(wanted, make, unless: version, kept)
        } catch let error as CalotypeError where orServe && error.isOriginTrouble {
            return kept.used(.stale)
        } catch let error as CalotypeError where error.isAbsence {
            derivations?.remove(wanted)
            throw error
        }
    }

    /// Makes it again, unless the origin confirms that `version` is still current.
    private func made(
        _ wanted: Derivation,
        _ make: @escaping @Sendable (HeldSource) async throws -> [UInt8],
        unless version: SourceVersion,
        _ kept: DerivedBytes
    ) async throws -> DerivedBytes {
        try await perform(wanted.request) { request in
            let answer = try await sources.source(
                for: SourceKey(request),
                unless: version,
                priority: LivePriority(request)
            )
            switch answer {
            case .unchanged(let receipt):
                var renewed = kept.used(.revalidated)
                renewed.provenance = judge.provenance(receipt.version, request.headers, from: .revalidated)
                derivations?.refresh(renewed, wanted)
                return (renewed, LoadResult(.revalidated, receipt))
            case .source(let source):
                // Held until the end, so that it is not loaded again.
                defer { source.stay() }
                return (try await made(wanted, make), LoadResult(.own, source.receipt))
            }
        }
    }

    private func made(
        _ wanted: Derivation,
        _ make: @escaping @Sendable (HeldSource) async throws -> [UInt8]
    ) async throws -> DerivedBytes {
        try await holdingSource(of: wanted.request) { [derivations] source in
            let derived = DerivedBytes(
                bytes: try await make(source),
                info: source.info,
                provenance: source.provenance,
                cache: source.cache
            )
            derivations?.write(derived, wanted)
            return derived
        }
    }
}

/// What is to be made from a source.
struct Derivation: Sendable {
    /// Identifies what is made.
    let name: String
    let request: ImageRequest
    /// When the work began, in the order of changes and removals.
    let moment: SourceChanges.Moment

    init(_ name: String, of request: ImageRequest, since moment: SourceChanges.Moment?) {
        self.name = name
        self.request = request
        self.moment = moment ?? .beginning
    }
}

/// Derived bytes in the persistent store.
struct DerivedStore: Sendable {
    let store: WriteBehind
    let changes: SourceChanges
    let judge: CacheJudge
    /// The fields that the pipeline sends with each request; other pipelines may use the store too.
    let headers: [HeaderField]

    /// Returns the stored bytes.
    ///
    /// - Returns: `nil` if there are none, if the limits do not allow the source, or if the entry is damaged.
    /// - Throws: `CancellationError` if the task is cancelled.
    func bytes(_ wanted: Derivation) async throws -> DerivedBytes? {
        let request = wanted.request
        guard request.cachePolicy.reads, let key = key(wanted),
            let entry = try await store.entry(for: key)
        else { return nil }
        do throws(SystemError) {
            let (info, version) = try DerivedRecord.read(entry)
            guard !changes.forbids(version, of: request.sourceIdentity),
                request.limits.allow(info.facts, info.bytes)
            else { return nil }
            let provenance = judge.provenance(version, request.headers, from: .store)
            return DerivedBytes(bytes: entry.bytes, info: info, provenance: provenance, cache: .hit)
        } catch {
            store.remove(key)
            return nil
        }
    }

    /// Writes the bytes in the background, replacing others, if the origin and the request allow it.
    func write(_ bytes: DerivedBytes, _ wanted: Derivation) {
        let (request, version) = (wanted.request, bytes.provenance.version)
        guard request.cachePolicy.writes, version?.isKeepable ?? true, let key = key(wanted)
        else { return }
        changes.keeping(version, of: request.sourceIdentity, since: wanted.moment) {
            store.write(DerivedRecord.entry(of: bytes), for: key, isAnew: true)
        } undo: {
            store.remove(key)
        }
    }

    /// Writes the new version in the background; the stored bytes stay.
    func refresh(_ bytes: DerivedBytes, _ wanted: Derivation) {
        let request = wanted.request
        guard request.cachePolicy.writes, let key = key(wanted) else { return }
        changes.keeping(bytes.provenance.version, of: request.sourceIdentity, since: wanted.moment) {
            store.replaceMetadata(DerivedRecord.entry(of: bytes).metadata, for: key)
        } undo: {
            store.remove(key)
        }
    }

    /// Removes the bytes in the background.
    func remove(_ wanted: Derivation) {
        if let key = key(wanted) { store.remove(key) }
    }

    private func key(_ wanted: Derivation) -> StoreKey? {
        StoreKey(derived: wanted.name, of: wanted.request, sentWith: headers)
    }
}

/// Derived bytes as a store entry: the metadata describes the source and its version.
private enum DerivedRecord {
    private static let layout: UInt8 = 2

    static func entry(of derived: DerivedBytes) -> StoredEntry {
        var writer = RecordWriter(version: layout)
        writer.add(derived.info.facts)
        writer.add(derived.info.bytes.bytes)
        writer.add(optional: derived.provenance.version) { writer, version in version.write(to: &writer) }
        return StoredEntry(metadata: writer.bytes, bytes: derived.bytes)
    }

    /// Reads the source and its version from the metadata of `entry`.
    ///
    /// - Throws: `SystemError`.
    static func read(_ entry: StoredEntry) throws(SystemError) -> (SourceInfo, SourceVersion?) {
        var reader = try RecordReader(entry.metadata, version: layout)
        let info = SourceInfo(facts: try reader.facts(), bytes: ByteCount(try reader.number()))
        let version = try reader.optional { reader throws(SystemError) in try SourceVersion(&reader) }
        try reader.finish()
        return (info, version)
    }
}
