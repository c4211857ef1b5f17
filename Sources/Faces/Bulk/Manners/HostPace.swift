internal import CalotypeCore

/// How many requests a host receives, and how long it is left alone after it refused one.
public struct PacePolicy: Hashable, Sendable {
    /// Maximum number of requests to one host a second; unlimited by default.
    public var requestsPerSecond: Double?
    /// The longest pause after the first refusal, which doubles with each further one; 1 s by default.
    public var basePause = Duration.seconds(1)
    /// The longest pause, unless a host requests more with `Retry-After`; 60 s by default.
    public var maximumPause = Duration.seconds(60)
    /// The longest `Retry-After`, and how long a host may refuse everything, before it is set aside; 2 minutes.
    public var patience = Duration.seconds(120)
    /// Number of failed connections or timeouts in a row after which a host is set aside; 4 by default.
    ///
    /// A host that has never responded is set aside after two.
    public var deadAfter = 4
    /// Whether a host receives one request alone before others, which tells its wishes; `false` by default.
    public var startsAlone = false

    /// Creates the default policy.
    public init() {}

    /// The least time between two requests to a host.
    var interval: Duration { requestsPerSecond.map { .seconds(1 / max($0, 0.001)) } ?? .zero }
}

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

/// The pace of requests to one host: when the next one may begin, and how many at a time.
///
/// A refusal halves the number of requests at a time and doubles the time between them; each success takes
/// some of it back. Refusals of requests that had begun before the last one count together with it.
struct HostPace: Sendable {
    /// A host's standing.
    enum Standing: Sendable {
        case open
        /// Nothing is requested until there is nothing else to do.
        case aside
        /// Requested once more after it was set aside; another refusal ends all its entries.
        case lastChance
        /// Given up; its entries fail.
        case dead
    }

    /// A moment of a pace, to compare a request's outcome with what has happened since it began.
    struct Mark: Sendable {
        fileprivate let refusals: Int
        /// Number of successes until then.
        let successes: Int
    }

    private static let smallestInterval = Duration.milliseconds(20)

    private let policy: PacePolicy
    private let largestLimit: Int
    private(set) var standing = Standing.open
    /// Maximum number of requests at a time.
    private(set) var limit: Int
    /// When the next request may begin.
    private(set) var notBefore = Duration.zero
    /// The time that the last request has taken.
    private var step = Duration.zero
    /// The time between two requests that the policy or the host asks for.
    private var delay: Duration
    /// The time between two requests that refusals have led to.
    private var backOff = Duration.zero
    private var successes = 0
    private var successesAtLimit = 0
    /// Number of refusals that count.
    private var refusals = 0
    /// Number of refusals since the last success, and when the first of them was.
    private var refusalsInRow = 0
    private var refusedSince = Duration.zero

    init(_ policy: PacePolicy, limit: Int) {
        self.policy = policy
        largestLimit = limit
        self.limit = policy.startsAlone ? 1 : limit
        delay = policy.interval
    }

    private var interval: Duration { max(delay, backOff) }
    /// Whether requests may begin at all.
    var isOpen: Bool { standing == .open || standing == .lastChance }
    /// The present moment.
    var mark: Mark { Mark(refusals: refusals, successes: successes) }

    /// Whether the pace would be the same if it were forgotten.
    func isForgettable(at now: Duration) -> Bool {
        standing != .aside && refusalsInRow == 0 && backOff == .zero && notBefore <= now
    }

    /// Takes the next place for a request.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - least: The least time until the place after it.
    /// - Returns: How long to wait for it.
    mutating func take(at now: Duration, every least: Duration = .zero) -> Duration {
        let place = max(now, notBefore)
        step = max(interval, least)
        notBefore = place + step
        return place - now
    }

    /// Returns the place of a request that was not sent.
    mutating func giveBack() {
        notBefore -= step
    }

    /// Sends nothing before `time`.
    mutating func wait(until time: Duration) {
        notBefore = max(notBefore, time)
    }

    /// Sets the time between two requests that the host asks for, at most two minutes.
    mutating func ask(for delay: Duration) {
        self.delay = max(policy.interval, min(delay, .seconds(120)))
    }

    /// Records that the host's wishes are known.
    mutating func know() {
        if refusals == 0 { limit = largestLimit }
    }

    /// Records an answer of the host.
    mutating func succeed() {
        know()
        successes += 1
        (refusalsInRow, standing) = (0, .open)
        backOff = backOff < .milliseconds(1) ? .zero : backOff * (31.0 / 32)
        successesAtLimit += 1
        guard limit < largestLimit, successesAtLimit >= limit else { return }
        (limit, successesAtLimit) = (limit + 1, 0)
    }

    /// Records that a request which began at `mark` was refused.
    mutating func refuse(
        _ trouble: HostTrouble,
        since mark: Mark,
        at now: Duration,
        random: (Duration) -> Duration
    ) {
        guard mark.refusals == refusals else { return }
        if refusalsInRow == 0 { refusedSince = now }
        refusals += 1
        refusalsInRow += 1
        (limit, successesAtLimit) = (max(limit / 2, 1), 0)
        if !trouble.isSilence {
            backOff = min(max(backOff * 2, Self.smallestInterval), policy.maximumPause)
        }
        let ceiling = min(policy.basePause * Double(1 << min(refusalsInRow - 1, 20)), policy.maximumPause)
        notBefore = max(notBefore, now + (trouble.retryAfter ?? ceiling / 2 + random(ceiling / 2)))
        if standing == .lastChance {
            // A host that has answered may be restarting; one that never has is not waited for.
            let isWaitedFor = trouble == .unreachable && successes > 0 && now - refusedSince < policy.patience
            if !isWaitedFor { standing = .dead }
        } else if isHopeless(trouble, now) {
            standing = .aside
        }
    }

    private func isHopeless(_ trouble: HostTrouble, _ now: Duration) -> Bool {
        if trouble.isSilence {
            let hasResponded = successes > 0 || trouble == .stalled
            return refusalsInRow >= (hasResponded ? policy.deadAfter : min(policy.deadAfter, 2))
        }
        return (trouble.retryAfter ?? .zero) > policy.patience || now - refusedSince > policy.patience
    }

    /// Gives a host that was set aside another chance, unless it wants to be left alone for longer.
    mutating func recall(at now: Duration) {
        standing = notBefore - now > policy.patience ? .dead : .lastChance
        limit = 1
    }
}
