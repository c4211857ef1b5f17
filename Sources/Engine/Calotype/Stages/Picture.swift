import CalotypeCodec
package import CalotypeCore

/// A picture and its provenance: the one value that travels from the decode through the caches to the caller.
package struct Picture: Sendable {
    /// On the heap, so that copies are cheap.
    indirect enum Content: Sendable {
        case rendition(Rendition)
        case bitmap(Bitmap)

        /// `nil` for pixels.
        var rendition: Rendition? { if case .rendition(let rendition) = self { rendition } else { nil } }
    }

    private(set) var content: Content
    /// Where the picture comes from.
    package internal(set) var provenance: Provenance

    init(_ content: Content, _ provenance: Provenance) {
        self.content = content
        self.provenance = provenance
    }

    /// Creates the picture that a decode made from a source.
    init(_ coded: CodedPicture, of source: SourceReceipt, _ provenance: Provenance) {
        self.provenance = provenance
        switch coded.content {
        case .pixels(let bitmap): content = .bitmap(bitmap)
        case .encoded(let bytes, let format):
            var timings = source.timings
            timings.queue += coded.queued
            timings.decode = coded.decoding
            timings.encode = coded.encoding
            content = .rendition(
                Rendition(
                    bytes: bytes,
                    format: format,
                    size: coded.size,
                    source: coded.source,
                    sourceBytes: source.byteCount,
                    isVerbatim: coded.isVerbatim,
                    isPartial: coded.isPartial,
                    decoder: coded.decoder,
                    attempts: source.attempts,
                    timings: timings,
                    cache: source.cache
                )
            )
        }
    }

    /// The size in memory, without the facts.
    var byteCount: Int {
        switch content {
        case .rendition(let rendition): rendition.bytes.count
        case .bitmap(let bitmap): bitmap.rgba.count
        }
    }

    /// The rendition; the request must have asked for one.
    package var rendition: Rendition {
        guard case .rendition(let rendition) = content else { preconditionFailure("pixels for a rendition") }
        return rendition
    }

    /// The pixels; the request must have asked for them.
    var bitmap: Bitmap {
        guard case .bitmap(let bitmap) = content else { preconditionFailure("a rendition for pixels") }
        return bitmap
    }
}

extension Picture {
    /// The picture as the memory cache gives it to later callers, without the cost of the load that made it.
    var cached: Picture { obtained(from: .memory, .hit) }

    /// Returns the picture as a load obtained it that had these costs.
    func obtained(
        from origin: PipelineEvent.Origin,
        _ cache: CacheUse,
        attempts: Int = 0,
        timings: LoadTimings = LoadTimings()
    ) -> Picture {
        var picture = self
        picture.provenance.origin = origin
        if case .rendition(var rendition) = content {
            (rendition.cache, rendition.attempts, rendition.timings) = (cache, attempts, timings)
            picture.content = .rendition(rendition)
        }
        return picture
    }

    /// Returns the picture as the load of `other` obtained it, which made the same picture.
    func obtained(as other: Picture) -> Picture {
        let origin = other.provenance.origin
        // Pixels have no record of costs.
        guard case .rendition(let rendition) = other.content else { return obtained(from: origin, .miss) }
        return obtained(
            from: origin,
            rendition.cache,
            attempts: rendition.attempts,
            timings: rendition.timings
        )
    }

    /// Returns the picture with the time that the whole load took.
    func timed(_ total: Duration) -> Picture {
        guard case .rendition(var rendition) = content else { return self }
        rendition.timings.total = total
        return Picture(.rendition(rendition), provenance)
    }
}
