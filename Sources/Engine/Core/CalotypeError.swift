import CalotypeFiles

/// The one error that loading, decoding and writing pictures throws; cancellation stays `CancellationError`.
public struct CalotypeError: Error, Sendable, CustomStringConvertible {
    /// The part of a picture's way in which the error arose.
    public enum Stage: String, Sendable {
        case request, resolve, connect, response, body, probe, decode, encode, store
    }

    /// The stable word for what went wrong.
    public var code: ErrorCode
    /// What happened and what can be done, for people.
    public var message: String
    /// Where it happened.
    public var stage: Stage
    /// The URL concerned, without user name and password.
    public var url: String?
    /// The error below this one, if there is one.
    public var cause: (any Error)?

    /// Creates an error.
    ///
    /// Where `cause` is that this machine has too few descriptors or too little memory, the code is
    /// ``ErrorCode/resourceShortage`` whatever was being done: nothing else is known to be wrong.
    public init(
        _ code: ErrorCode,
        _ message: String,
        stage: Stage,
        url: String? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = (cause as? SystemError)?.isShortage == true ? .resourceShortage : code
        self.message = message
        self.stage = stage
        self.url = url
        self.cause = cause
    }

    /// The same error with the URL it concerns, unless it names one already.
    public func at(_ url: String?) -> CalotypeError {
        var copy = self
        copy.url = copy.url ?? url
        return copy
    }

    /// The code, the message and the URL on one line.
    public var description: String {
        "\(code): \(message)" + (url.map { " (\($0))" } ?? "")
    }
}

/// A load that ended without a picture: why, and what it had cost until then.
///
/// The pipeline throws it, so that a report can say of a failure what it says of a success.
public struct LoadError: Error, Sendable, CustomStringConvertible {
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

/// What an origin said in an answer that is none to the request: a status that is no success, and when to ask again.
public struct OriginAnswer: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// When the origin wants to be asked again, from the answer on; `nil` where it did not tell.
    public var retryAfter: Duration?
    /// The length of the answer's body; `nil` where the head did not tell.
    public var bodyBytes: ByteCount?

    /// Creates an answer.
    public init(status: Int, retryAfter: Duration? = nil, bodyBytes: ByteCount? = nil) {
        self.status = status
        self.retryAfter = retryAfter
        self.bodyBytes = bodyBytes
    }
}
