import CalotypeCore

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

extension LoadFailure {
    var costs: FoundPicture.Costs { FoundPicture.Costs(attempts: attempts, timings: timings) }
}

extension SourceReceipt {
    var costs: FoundPicture.Costs { FoundPicture.Costs(attempts: attempts, timings: timings) }
}
