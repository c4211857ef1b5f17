/// A load that ended without a picture: why, and what it had cost until then.
///
/// The pipeline throws it, so that a report can say of a failure what it says of a success.
public struct LoadFailure: Error, Sendable, CustomStringConvertible {
    /// What went wrong in the last attempt.
    public var error: CalotypeError
    /// How many requests the source took, redirects not counted; 0 where none was sent.
    public var attempts: Int
    /// How long each part took, all attempts together.
    public var timings: LoadTimings
    /// The source's header, or `nil` where the load did not come that far.
    public var source: ImageFacts?
    /// How what was stored helped: a hit where the origin's answer, that there is nothing, was remembered.
    public var cache: CacheUse
    /// What the origin said in the last attempt; `nil` where that did not end with an answer of its.
    public var answer: OriginAnswer?

    /// Creates a failure.
    public init(
        _ error: CalotypeError,
        attempts: Int = 0,
        timings: LoadTimings = LoadTimings(),
        source: ImageFacts? = nil,
        cache: CacheUse = .miss
    ) {
        self.error = error
        self.attempts = attempts
        self.timings = timings
        self.source = source
        self.cache = cache
    }

    /// The error's code, message and URL on one line.
    public var description: String { error.description }
}
