import CalotypeCodec
import CalotypeCore
import CalotypeHTTP

/// What a request ends in: encoded, or as pixels.
indirect enum Picture: Sendable {
    case rendition(Rendition)
    case bitmap(Bitmap)

    /// What one decode made of one source.
    init(_ coded: CodedPicture, _ source: SourceReceipt) {
        switch coded.content {
        case .pixels(let bitmap): self = .bitmap(bitmap)
        case .encoded(let bytes, let format):
            var timings = source.timings
            timings.queue += coded.queued
            timings.decode = coded.decoding
            timings.encode = coded.encoding
            self = .rendition(
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
                    timings: timings
                )
            )
        }
    }

    /// What it takes in memory.
    var byteCount: Int {
        switch self {
        case .rendition(let rendition): rendition.bytes.count
        case .bitmap(let bitmap): bitmap.rgba.count
        }
    }

    /// The rendition, of a request for one.
    var rendition: Rendition {
        guard case .rendition(let rendition) = self else { preconditionFailure("pixels for a rendition") }
        return rendition
    }

    /// The pixels, of a request for them.
    var bitmap: Bitmap {
        guard case .bitmap(let bitmap) = self else { preconditionFailure("a rendition for pixels") }
        return bitmap
    }
}

/// A picture for a load, and where it was found.
struct FoundPicture: Sendable {
    /// What a load has cost.
    final class Costs: Sendable {
        let attempts: Int
        let timings: LoadTimings

        init(attempts: Int = 0, timings: LoadTimings = LoadTimings()) {
            self.attempts = attempts
            self.timings = timings
        }
    }

    private let picture: Picture
    private let costs: Costs?
    private let cache: CacheUse
    /// Which version of its source it was made of; `nil` where that came from no origin.
    let version: SourceVersion?
    var origin: PipelineEvent.Origin
    /// The entity tag of a picture that is kept in memory.
    var tag: DerivedText?

    /// Creates a picture that was found; it tells its costs itself where `costs` are `nil`.
    init(
        _ picture: Picture,
        of version: SourceVersion?,
        at origin: PipelineEvent.Origin,
        _ cache: CacheUse,
        _ costs: Costs? = Costs()
    ) {
        self.picture = picture
        self.version = version
        self.costs = costs
        self.cache = cache
        self.origin = origin
    }

    /// The pixels, of a request for them.
    var bitmap: Bitmap { picture.bitmap }

    /// The rendition, of a request for one, with what this load has cost.
    var rendition: Rendition {
        var rendition = picture.rendition
        if let costs { (rendition.attempts, rendition.timings) = (costs.attempts, costs.timings) }
        rendition.cache = cache
        return rendition
    }
}

extension LoadError {
    var costs: FoundPicture.Costs { FoundPicture.Costs(attempts: attempts, timings: timings) }
}

extension SourceReceipt {
    var costs: FoundPicture.Costs { FoundPicture.Costs(attempts: attempts, timings: timings) }
}

/// A picture that may be used again, and which version of its source it was made of.
struct KeptPicture: Sendable {
    let picture: Picture
    /// `nil` where the source came from no origin: it has no age.
    let version: SourceVersion?
    /// Up to when it answers without a look at the version; `nil` where it always does.
    let freshUntil: WallTime?
    /// The entity tag of those who serve it.
    let tag = DerivedText()
}
