public import CalotypeFiles

/// The error that loading, decoding and writing pictures throws; cancellation stays `CancellationError`.
public struct CalotypeError: Error, Sendable, CustomStringConvertible {
    /// The stage of a load in which the error occurred.
    public enum Stage: String, Sendable {
        case request, resolve, connect, response, body, probe, decode, encode, store
    }

    /// A stable word for what went wrong.
    public var code: ErrorCode
    /// What happened and what to do about it, in readable form.
    public var message: String
    /// Where the error occurred.
    public var stage: Stage
    /// The URL, without user name and password.
    public var url: String?
    /// The underlying error, if there is one.
    public var cause: (any Error)?
    private var details: Details?

    /// Keeps the error small where functions throw it by type.
    private indirect enum Details: Sendable {
        case load(LoadDetails)
    }

    /// What the failed load had cost, and what it knew about the source; `nil` if no load failed.
    public var load: LoadDetails? {
        get { if case .load(let load)? = details { load } else { nil } }
        set { details = newValue.map { .load($0) } }
    }

    /// Creates an error.
    ///
    /// If `cause` says that this machine is short of descriptors or memory, the code is
    /// ``ErrorCode/resourceShortage`` whatever the operation was: nothing else is known to be wrong.
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

    /// Returns this error with `url`, unless it has a URL already.
    public func at(_ url: String?) -> CalotypeError {
        var copy = self
        copy.url = copy.url ?? url
        return copy
    }

    /// Returns this error with the details of the load that failed with it.
    package func of(_ load: LoadDetails) -> CalotypeError {
        var copy = self
        copy.load = load
        return copy
    }

    /// The code, the message and the URL on one line.
    public var description: String {
        "\(code): \(message)" + (url.map { " (\($0))" } ?? "")
    }
}

/// What a load had cost when it failed, and what it knew about the source by then.
///
/// With it, a report can give the same details for a failure as for a success.
public struct LoadDetails: Sendable {
    /// The number of requests for the source, without redirects; 0 if none was sent.
    public var attempts: Int
    /// How long each stage took, over all attempts.
    public var timings: LoadTimings
    /// The facts in the source's header; `nil` if the load did not get that far.
    public var source: ImageFacts?
    /// The use of the cache: a hit if it held the origin's response that the source does not exist.
    public var cache: CacheUse
    /// The origin's response in the last attempt; `nil` if the attempt did not end with one.
    public var response: OriginResponse?

    /// Creates details.
    public init(
        attempts: Int = 0,
        timings: LoadTimings = LoadTimings(),
        source: ImageFacts? = nil,
        cache: CacheUse = .miss,
        response: OriginResponse? = nil
    ) {
        self.attempts = attempts
        self.timings = timings
        self.source = source
        self.cache = cache
        self.response = response
    }
}

/// An unsuccessful response from an origin: its status, and when to retry.
public struct OriginResponse: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// How long after the response to wait before the next request; `nil` if the origin did not say.
    public var retryAfter: Duration?
    /// The length of the response's body; `nil` if the head did not say.
    public var bodyBytes: ByteCount?

    /// Creates a response.
    public init(status: Int, retryAfter: Duration? = nil, bodyBytes: ByteCount? = nil) {
        self.status = status
        self.retryAfter = retryAfter
        self.bodyBytes = bodyBytes
    }
}
