import CalotypeCore

/// When one transfer has taken too long; a value that is told of each step and asked for the next deadline.
struct TransferClock {
    typealias Instant = ContinuousClock.Instant
    typealias Expiry = HTTPTimeouts.Expiry

    private enum Phase {
        case connecting
        case sending
        /// The file of the request's body holds the sending back; the origin's time stands still.
        case reading
        case awaitingHead
        case receiving
        /// The reader holds the origin back; the origin's time stands still.
        case paused
    }

    private let timeouts: HTTPTimeouts
    private let start: Instant
    private var phase = Phase.connecting
    private var phaseStart: Instant
    private var lastByte: Instant
    private var windowStart: Instant
    private var windowBytes = 0

    init(_ timeouts: HTTPTimeouts, spent: Duration, now: Instant) {
        self.timeouts = timeouts
        start = now - spent
        phaseStart = now - spent
        lastByte = now
        windowStart = now
    }

    /// How long the present phase has taken.
    func elapsed(_ now: Instant) -> Duration { now - phaseStart }

    mutating func connected(_ now: Instant, sends: Bool = false) {
        enter(sends ? .sending : .awaitingHead, now)
    }

    mutating func sendingPaused(_ now: Instant) {
        if phase == .sending { phase = .reading }
    }

    mutating func sendingResumed(_ now: Instant) {
        if phase == .reading { (phase, lastByte) = (.sending, now) }
    }

    /// Takes notice of `count` bytes of the request's body; an answer that came before the last of them keeps its own times.
    mutating func sent(_ count: Int, isAll: Bool, _ now: Instant) {
        lastByte = now
        windowBytes += count
        if isAll, phase == .sending || phase == .reading { enter(.awaitingHead, now) }
    }

    /// Whether the answer's head is waited for, the whole request sent.
    var awaitsHead: Bool { phase == .awaitingHead }

    mutating func headCompleted(_ now: Instant) { enter(.receiving, now) }
    mutating func paused(_ now: Instant) { enter(.paused, now) }
    mutating func resumed(_ now: Instant) { enter(.receiving, now) }

    mutating func received(_ count: Int, _ now: Instant) {
        lastByte = now
        windowBytes += count
    }

    /// What has run out at `now`; begins a new window for the rate where one is full.
    mutating func expiry(_ now: Instant) -> Expiry? {
        if let total = timeouts.total, now >= start + total { return .total }
        switch phase {
        case .connecting: return now >= phaseStart + timeouts.connect ? .connect : nil
        case .sending: return now >= lastByte + timeouts.idle ? .sending : nil
        case .awaitingHead: return now >= phaseStart + timeouts.headers ? .headers : nil
        case .receiving: return now >= lastByte + timeouts.idle ? .idle : rateExpiry(now)
        case .paused, .reading: return nil
        }
    }

    /// When `expiry` is to be asked next.
    var deadline: Instant? {
        let own: Instant? =
            switch phase {
            case .connecting: phaseStart + timeouts.connect
            case .sending: lastByte + timeouts.idle
            case .awaitingHead: phaseStart + timeouts.headers
            case .receiving: min(lastByte + timeouts.idle, windowStart + timeouts.rateWindow)
            case .paused, .reading: nil
            }
        guard let total = timeouts.total.map({ start + $0 }) else { return own }
        return own.map { min($0, total) } ?? total
    }

    private mutating func rateExpiry(_ now: Instant) -> Expiry? {
        guard now >= windowStart + timeouts.rateWindow else { return nil }
        let seconds = (now - windowStart) / .seconds(1)
        if Double(windowBytes) < Double(timeouts.minimumRate.bytes) * seconds { return .rate }
        (windowStart, windowBytes) = (now, 0)
        return nil
    }

    private mutating func enter(_ next: Phase, _ now: Instant) {
        phase = next
        (phaseStart, lastByte, windowStart, windowBytes) = (now, now, now, 0)
    }
}
