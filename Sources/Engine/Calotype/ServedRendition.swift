package import CalotypeCore
package import CalotypeHTTP

/// A rendition, and what the origin of its source said about that.
package struct ServedRendition: Sendable {
    package var rendition: Rendition
    /// `nil` where the source came from no origin.
    package var standing: SourceStanding?
    /// Keeps the entity tag for as long as memory keeps the rendition; `nil` where that is not kept.
    package var tag: DerivedText?
    /// The cache that gave it without a load; `nil` where the observer was told of a load.
    package var unloaded: PipelineEvent.Origin?
}

/// What came of asking for a rendition that may be known already.
package enum ServedOrKnown: Sendable {
    case served(ServedRendition)
    /// What is made of this version is known.
    case known(SourceStanding)
}

/// A source that is held while something is made of it.
package struct HeldSource: Sendable {
    package let info: SourceInfo
    /// `nil` where it came from no origin.
    package let standing: SourceStanding?
    /// How a store helped.
    package let cache: CacheUse
    let version: SourceVersion?
}

/// What an origin said about the version of a source that was had.
package struct SourceStanding: Sendable {
    /// The value of its `ETag`.
    package let entityTag: String?
    /// The value of its `Last-Modified`, a date.
    package let lastModified: String?
    /// Its `Cache-Control`.
    package let cacheControl: CacheControl
    /// Whether what is made of it may be kept.
    package let isKeepable: Bool
    /// Whether it named an end of its lifetime (`Expires`).
    package let hasExpiry: Bool
    /// The end of its freshness (RFC 9111); in the past where it has none.
    package let freshUntil: WallTime
}
