import CalotypeCodec
package import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// What asking for a source came to.
indirect enum SourceAnswer: Sendable {
    /// The source, complete on this machine.
    case source(LoadedSource)
    /// The version that the caller has is still the current one.
    case unchanged(SourceReceipt)
}

/// A source complete on this machine; what it holds goes with its last user.
final class LoadedSource: Sendable {
    let input: CodecInput
    let receipt: SourceReceipt
    /// Whether the lasting store has it, or is about to.
    var isKept: Bool { keeping.withLock { $0 } }
    private let keeping: Guarded<Bool>
    private let permit: Permit?
    /// The file that it is in; `nil` for bytes, and for a file that is not the pipeline's.
    let spool: SpoolFile?
    private let onEnd: @Sendable () -> Void

    init(
        _ body: SourceBody.Product,
        _ receipt: SourceReceipt,
        isKept: Bool = false,
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        input = body.input
        permit = body.permit
        spool = body.spool
        self.receipt = receipt
        keeping = Guarded(isKept)
        self.onEnd = onEnd
    }

    deinit {
        onEnd()
    }

    /// Has the source kept by `keep`, unless it is: whoever comes first.
    func keep(_ keep: () -> Bool) {
        let isFirst = keeping.withLock { isKept in
            defer { isKept = true }
            return !isKept
        }
        guard isFirst, !keep() else { return }
        keeping.withLock { $0 = false }
    }

    /// Keeps the memory accounted for and the spool file open up to here.
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
    func failure(_ error: CalotypeError) -> LoadError {
        LoadError(error, attempts: attempts, timings: timings, source: facts, cache: cache)
    }
}

extension LoadError {
    /// Whether what is kept may stand in: the origin could not be asked, or is in trouble (RFC 5861, section 4).
    var isOriginTrouble: Bool {
        let passing: Set<ErrorCode> = [
            .dnsFailed, .connectFailed, .connectionReset, .tlsFailed, .proxyFailed, .protocolError,
            .truncatedBody, .resourceShortage,
            .timeoutConnect, .timeoutHeaders, .timeoutIdle, .timeoutTotal, .tooSlow,
        ]
        let code = error.code
        return passing.contains(code) || [500, 502, 503, 504].contains { code == .http(status: $0) }
    }
}

/// The complete sources that somebody still holds, so that whoever wants more of them need not ask the origin.
final class LiveSources: Sendable {
    private struct Entry {
        weak var source: LoadedSource?
    }

    private let entries = Guarded<[SourceKey: Entry]>([:])

    /// The number of sources that are held.
    var count: Int {
        entries.withLock { $0.count }
    }

    /// The source, if somebody holds it.
    func source(for key: SourceKey) -> LoadedSource? {
        entries.withLock { $0[key]?.source }
    }

    /// Remembers `source` as long as somebody holds it.
    func insert(_ source: LoadedSource, for key: SourceKey) {
        entries.withLock { $0[key] = Entry(source: source) }
    }

    /// Gives `source` to nobody else, though it is held.
    func withdraw(_ source: LoadedSource, for key: SourceKey) {
        let held = entries.withLock { entries in
            let held = entries[key]?.source
            if held === source { entries[key] = nil }
            return held
        }
        // Let go outside the lock, as in ``forget(_:)``.
        held?.stay()
    }

    /// Forgets the source that has just gone, unless a newer one has taken its place.
    func forget(_ key: SourceKey) {
        let newer = entries.withLock { entries in
            let source = entries[key]?.source
            if source == nil { entries[key] = nil }
            return source
        }
        // Let go outside the lock: this may be its last owner by now, and its end takes the lock again.
        newer?.stay()
    }
}
