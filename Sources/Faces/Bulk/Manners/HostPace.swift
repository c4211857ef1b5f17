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
    /// How long a host stays set aside while there is something else to do; `nil`, the default, for all that time.
    var recallsAfter: Duration?
    /// Whether a host receives one request alone before others, which tells its wishes; `false` by default.
    public var startsAlone = false
    /// Whether a host receives one request at a time at first, and more only while it responds as quickly;
    /// `false` by default.
    public var probes = false

    /// Creates the default policy.
    public init() {}

    /// The least time between two requests to a host.
    var interval: Duration { requestsPerSecond.map { .seconds(1 / max($0, 0.001)) } ?? .zero }
}

/// The pace of requests to one host: when the next one may begin, and how many at a time.
///
/// A refusal halves the number of requests at a time and doubles the time between them, once for refusals in a
/// row; each success takes some of it back. Refusals of requests that had begun before the last one count together with it.
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
    private var largestLimit: Int
    /// Measures how many requests at a time the host takes; `nil` if that is known, or not measured.
    private var probe: HostProbe?
    private(set) var standing = Standing.open
    /// Maximum number of requests at a time.
    private(set) var limit: Int
    /// When the next request may begin.
    private(set) var notBefore = Duration.zero
    /// The time that the last request has taken.
    private var step = Duration.zero
    /// The end of the pause after the last refusal.
    private var pauseEnd = Duration.zero
    /// The time between two requests that the policy or the host asks for.
    private var delay: Duration
    /// The time between two requests that refusals have led to.
    private var backOff = Duration.zero
    /// The time between two requests when the last refusals began.
    private var refusedBackOff = Duration.zero
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
        self.limit = policy.startsAlone || policy.probes ? 1 : limit
        probe = policy.probes ? HostProbe() : nil
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
            && (!policy.probes || probe != nil)
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
        notBefore = max(notBefore - step, pauseEnd)
    }

    /// Sends nothing before `time`.
    mutating func wait(until time: Duration) {
        notBefore = max(notBefore, time)
    }

    /// Sets the time between two requests that the host asks for, at most two minutes.
    mutating func ask(for delay: Duration) {
        // Of several names of a host, the one with the longest delay counts.
        self.delay = max(self.delay, policy.interval, min(delay, .seconds(120)))
    }

    /// Records the time that the host took for the head of a response.
    mutating func measure(_ time: Duration) {
        switch probe?.add(time, at: limit) {
        case .takesMore where limit < largestLimit: limit = min(limit * 2, largestLimit)
        case .takesMore: probe = nil
        case .isSlower: endProbe()
        case nil: break
        }
    }

    /// Keeps to half of the present number of requests at a time from now on.
    private mutating func endProbe() {
        limit = max(limit / 2, 1)
        largestLimit = limit
        probe = nil
    }

    /// Records that the host's wishes are known.
    mutating func know() {
        if refusals == 0, probe == nil { limit = largestLimit }
    }

    /// Records an answer of the host.
    mutating func succeed() {
        know()
        successes += 1
        (refusalsInRow, standing) = (0, .open)
        // The pace returns quickly to a little less than the host has refused. A host that has refused often is
        // approached more slowly from there.
        let isFar = backOff > refusedBackOff * 1.35
        let caution = isFar ? 32 : Double(min(32 << min(max(refusals - 1, 0), 4), 512))
        backOff = backOff < .milliseconds(1) ? .zero : backOff * (1 - 1 / caution)
        successesAtLimit += 1
        guard probe == nil, limit < largestLimit, successesAtLimit >= limit else { return }
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
        if probe != nil, !trouble.isSilence { endProbe() } else { limit = max(limit / 2, 1) }
        successesAtLimit = 0
        // Refusals in a row are answered with pauses, which double.
        if !trouble.isSilence, refusalsInRow == 1 {
            refusedBackOff = max(backOff, Self.smallestInterval / 4)
            backOff = min(max(backOff * 2, Self.smallestInterval), policy.maximumPause)
        }
        let ceiling = min(policy.basePause * Double(1 << min(refusalsInRow - 1, 20)), policy.maximumPause)
        pauseEnd = max(pauseEnd, now + (trouble.retryAfter ?? ceiling / 2 + random(ceiling / 2)))
        notBefore = max(notBefore, pauseEnd)
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

/// Measures how many requests at a time a host takes: with twice as many each time, as long as it responds about
/// as quickly as to one.
struct HostProbe: Sendable {
    enum Finding: Sendable {
        case takesMore, isSlower
    }

    private static let fewest = 3
    /// How much slower a response may be before the host counts as busy.
    private static let tolerance = 2.0
    private static let smallestDelay = Duration.milliseconds(20)

    /// The mean time with one request at a time.
    private var usual: Duration?
    private var sum = Duration.zero
    private var count = 0

    /// Adds the time of a response while `limit` requests at a time are sent.
    ///
    /// - Returns: What enough of them have shown, and `nil` before.
    mutating func add(_ time: Duration, at limit: Int) -> Finding? {
        count += 1
        // The first ones were sent while there were fewer.
        if count > limit || usual == nil { sum += time }
        let measured = max(limit, Self.fewest)
        guard count >= (usual == nil ? measured : limit + measured) else { return nil }
        let mean = sum / measured
        (sum, count) = (.zero, 0)
        guard let usual else {
            usual = mean
            return .takesMore
        }
        return mean > usual * Self.tolerance + Self.smallestDelay ? .isSlower : .takesMore
    }
}
