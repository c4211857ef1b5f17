import CalotypeHTTP
import TaskFlow

/// Where something made from a source comes from: the version of the source, and how a load obtained it.
package struct Provenance: Sendable {
    /// The version of the source; `nil` if the source came from no origin.
    package let version: SourceVersion?
    /// The end of the version's freshness (RFC 9111), in the past if it was never fresh.
    ///
    /// It is `nil` without a version, because then the source has no age.
    package let freshUntil: WallTime?
    /// Where the load found it.
    package internal(set) var origin: PipelineEvent.Origin
    /// The entity tag that servers derive from it; all copies share one.
    package let tag = DerivedText()

    init(_ version: SourceVersion?, freshUntil: WallTime?, from origin: PipelineEvent.Origin) {
        self.version = version
        self.freshUntil = freshUntil
        self.origin = origin
    }
}

/// A text that the first caller derives from a cached value, and that all others share.
package final class DerivedText: Sendable {
    private let derived = Guarded<String??>(nil)

    package init() {}

    /// Returns the text that `make` returned the first time; `nil` if it could not derive one.
    package func text(_ make: () -> String?) -> String? {
        if let text = derived.withLock({ $0 }) { return text }
        // Outside the lock: two callers may derive the same text at the same time, and the first one stays.
        let text = make()
        return derived.withLock { derived in
            if let derived { return derived }
            derived = .some(text)
            return text
        }
    }
}
