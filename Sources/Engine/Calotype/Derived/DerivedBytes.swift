package import CalotypeCore

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
