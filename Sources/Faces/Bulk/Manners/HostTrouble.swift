internal import CalotypeCore

/// A failure that concerns a whole host, so that other requests to it would fail too.
enum HostTrouble: Hashable, Sendable {
    /// The host answered 429.
    case limited(retryAfter: Duration?)
    /// The host answered 503, which may concern one URL alone.
    case unavailable(retryAfter: Duration?)
    /// There is no connection to the host.
    case unreachable
    /// The host did not respond in time. The load has been retried already, so the URL is not.
    case slow
    /// The host responded, and the body did not arrive in time. The URL is not retried either.
    case stalled
    /// The host's name has no address; the URL is not retried.
    case unresolved

    /// Creates the trouble that `failure` shows; `nil` if it says nothing about the host.
    init?(_ failure: CalotypeError) {
        let retryAfter = failure.load?.response?.retryAfter
        switch failure.code {
        case .http(status: 429): self = .limited(retryAfter: retryAfter)
        case .http(status: 503): self = .unavailable(retryAfter: retryAfter)
        case .connectFailed, .connectionReset, .timeoutConnect: self = .unreachable
        case .timeoutIdle, .tooSlow: self = .stalled
        case .timeoutTotal where failure.load?.source != nil: self = .stalled
        case .timeoutHeaders, .timeoutTotal: self = .slow
        case .dnsFailed: self = .unresolved
        default: return nil
        }
    }

    var retryAfter: Duration? {
        switch self {
        case .limited(let time), .unavailable(let time): time
        case .unreachable, .slow, .stalled, .unresolved: nil
        }
    }

    /// Whether the host sent nothing that ends a request.
    var isSilence: Bool {
        switch self {
        case .limited, .unavailable: false
        case .unreachable, .slow, .stalled, .unresolved: true
        }
    }

    /// Whether a refusal counts against the URL and not only against its host, which has served others.
    ///
    /// 503 may concern the URL alone, so it counts whenever the host has served any.
    func concerns(_ begin: HostPace.Mark, _ now: HostPace.Mark) -> Bool {
        if case .unavailable = self { return now.successes > 0 }
        return now.successes > begin.successes
    }

    /// Maximum number of refusals of one URL while its host serves others; 0 if the URL is never tried again.
    var largestCount: Int {
        switch self {
        case .limited: 20
        case .unavailable: 6
        case .unreachable: 3
        case .slow, .stalled, .unresolved: 0
        }
    }
}

/// What an entry found out about its host.
enum HostContact: Sendable {
    /// The host responded.
    case answered
    /// No picture was requested, because the host does not allow it.
    case refused
    /// A request was sent, and there was no complete response.
    case silent
    /// No request was sent to the host.
    case none

    /// Creates what a failed load shows.
    init(_ failure: CalotypeError) {
        self =
            switch failure.code {
            case .disallowedByRobots: .refused
            default: HostTrouble(failure)?.isSilence == true ? .silent : .answered
            }
    }
}

extension HostTrouble {
    /// Why entries fail whose host was given up.
    var reason: ListItem.InvalidReason {
        switch self {
        case .limited:
            ListItem.InvalidReason(
                code: .http(status: 429),
                message: "the host responds only with 429, so no further requests were sent"
            )
        case .unavailable:
            ListItem.InvalidReason(
                code: .http(status: 503),
                message: "the host responds only with 503, so no further requests were sent"
            )
        case .unreachable:
            ListItem.InvalidReason(
                code: .connectFailed,
                message: "the host cannot be reached, so no further requests were sent"
            )
        case .slow:
            ListItem.InvalidReason(
                code: .timeoutHeaders,
                message: "the host does not respond, so no further requests were sent"
            )
        case .stalled:
            ListItem.InvalidReason(
                code: .tooSlow,
                message: "the host's images do not arrive in time, so no further requests were sent"
            )
        case .unresolved:
            ListItem.InvalidReason(
                code: .dnsFailed,
                message: "the host has no address, so no further requests were sent"
            )
        }
    }
}
