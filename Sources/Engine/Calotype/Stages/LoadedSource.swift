import CalotypeCodec
package import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// The outcome of a request for a source.
indirect enum SourceOutcome: Sendable {
    /// The complete source.
    case source(LoadedSource)
    /// The caller's version is still current.
    case unchanged(SourceReceipt)
}

/// A source complete on this machine; its memory or file is released with the last reference.
final class LoadedSource: Sendable {
    let input: CodecInput
    let receipt: SourceReceipt
    /// When its load began, in the order of changes and removals.
    let moment: SourceChanges.Moment
    /// Whether the persistent store has it or is about to.
    var isKept: Bool { keeping.withLock { $0 } }
    private let keeping: Guarded<Bool>
    private let permit: Permit?
    /// The source's file; `nil` for bytes, and for a file that the pipeline did not create.
    let spool: SpoolFile?
    private let onEnd: @Sendable () -> Void

    init(
        _ body: SourceBody.Product,
        _ receipt: SourceReceipt,
        since moment: SourceChanges.Moment = .beginning,
        isKept: Bool = false,
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        input = body.input
        permit = body.permit
        spool = body.spool
        self.receipt = receipt
        self.moment = moment
        keeping = Guarded(isKept)
        self.onEnd = onEnd
    }

    deinit {
        onEnd()
    }

    /// Calls `keep` to store the source, unless that has been done.
    func keep(_ keep: () -> Bool) {
        let isFirst = keeping.withLock { isKept in
            defer { isKept = true }
            return !isKept
        }
        guard isFirst, !keep() else { return }
        keeping.withLock { $0 = false }
    }

    /// Keeps the memory permit and the spool file until this call.
    func stay() {
        withExtendedLifetime(self) {}
    }
}

/// What a complete source has cost, and the facts in its header.
package final class SourceReceipt: Sendable {
    package let byteCount: ByteCount
    package let attempts: Int
    package let timings: LoadTimings
    let facts: ImageFacts?
    /// Its version; `nil` if it came from no origin.
    let version: SourceVersion?
    /// How the cache helped.
    package let cache: CacheUse

    init(
        byteCount: ByteCount,
        attempts: Int,
        timings: LoadTimings,
        facts: ImageFacts?,
        version: SourceVersion? = nil,
        cache: CacheUse = .miss
    ) {
        self.byteCount = byteCount
        self.attempts = attempts
        self.timings = timings
        self.facts = facts
        self.version = version
        self.cache = cache
    }

    /// Returns the receipt with the time that the whole load took.
    func timed(_ total: Duration) -> SourceReceipt {
        var timings = timings
        timings.total = total
        return SourceReceipt(
            byteCount: byteCount,
            attempts: attempts,
            timings: timings,
            facts: facts,
            version: version,
            cache: cache
        )
    }

    /// The failure of something that is made from the source.
    func failure(_ error: CalotypeError) -> CalotypeError {
        error.of(LoadDetails(attempts: attempts, timings: timings, source: facts, cache: cache))
    }
}

extension CalotypeError {
    /// The error with the details of a load, those of one that cost nothing if it has none.
    var ofLoad: CalotypeError { of(load ?? LoadDetails()) }

    /// Returns the error with the duration of the whole load.
    func timed(_ total: Duration) -> CalotypeError {
        var load = load ?? LoadDetails()
        load.timings.total = total
        return of(load)
    }

    /// Whether stale data may be used: the origin is unreachable or in trouble (RFC 5861, section 4).
    var isOriginTrouble: Bool {
        let passing: Set<ErrorCode> = [
            .dnsFailed, .connectFailed, .connectionReset, .tlsFailed, .proxyFailed, .protocolError,
            .truncatedBody, .resourceShortage,
            .timeoutConnect, .timeoutHeaders, .timeoutIdle, .timeoutTotal, .tooSlow,
        ]
        return passing.contains(code) || [500, 502, 503, 504].contains { code == .http(status: $0) }
    }
}

/// The complete sources that are in use, so that other callers can share them without a request.
final class LiveSources: Sendable {
    private struct Entry {
        weak var source: LoadedSource?
    }

    private let entries = Guarded<[SourceKey: Entry]>([:])

    /// The number of sources in use.
    var count: Int {
        entries.withLock { $0.count }
    }

    /// Returns the source if it is in use.
    func source(for key: SourceKey) -> LoadedSource? {
        entries.withLock { $0[key]?.source }
    }

    /// Remembers `source` while it is in use.
    func insert(_ source: LoadedSource, for key: SourceKey) {
        entries.withLock { $0[key] = Entry(source: source) }
    }

    /// Stops sharing `source`, although it is in use.
    func withdraw(_ source: LoadedSource, for key: SourceKey) {
        let held = entries.withLock { entries in
            let held = entries[key]?.source
            if held === source { entries[key] = nil }
            return held
        }
        // Released outside the lock, as in ``forget(_:)``.
        held?.stay()
    }

    /// Forgets a source that is no longer in use, unless a newer one has replaced it.
    func forget(_ key: SourceKey) {
        let newer = entries.withLock { entries in
            let source = entries[key]?.source
            if source == nil { entries[key] = nil }
            return source
        }
        // Released outside the lock: this may be its last reference, and its deinit takes the lock again.
        newer?.stay()
    }
}
