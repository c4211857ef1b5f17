import CalotypeCore

/// The timeouts of one transfer, as a value that receives each step and computes the next deadline.
struct TransferClock {
    typealias Instant = ContinuousClock.Instant
    typealias Expiry = HTTPTimeouts.Expiry

    private enum Phase {
        case connecting
        case sending
        /// The body's file holds up the sending; the origin's time does not count.
        case reading
        case awaitingHead
        case receiving
        /// The reader holds up the origin; the origin's time does not count.
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

    /// The time spent in the current phase.
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

    /// Records that `count` bytes of the request's body were sent.
    ///
    /// If the response starts before the last of them, the phase of the response stays.
    mutating func sent(_ count: Int, isAll: Bool, _ now: Instant) {
        lastByte = now
        windowBytes += count
        if isAll, phase == .sending || phase == .reading { enter(.awaitingHead, now) }
    }

    /// Whether the whole request is sent and the head of the response has not arrived.
    var awaitsHead: Bool { phase == .awaitingHead }

    mutating func headCompleted(_ now: Instant) { enter(.receiving, now) }
    mutating func paused(_ now: Instant) { enter(.paused, now) }
    mutating func resumed(_ now: Instant) { enter(.receiving, now) }

    mutating func received(_ count: Int, _ now: Instant) {
        lastByte = now
        windowBytes += count
    }

    /// Returns the timeout that has expired at `now`.
    ///
    /// If a rate window is full, starts a new one.
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

    /// When to call `expiry` next.
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
