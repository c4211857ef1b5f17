/// What a caller does that has left a coalescer.
enum FlightDeparture: Sendable {
    /// It did not wait any more.
    case unknown
    case left(UrgencyNotice?)
    /// It was the last: cancel the work.
    case abandoned(FlightWork?)

    func act() {
        switch self {
        case .unknown: break
        case .left(let notice): notice?.send()
        case .abandoned(let work): work?.abandon()
        }
    }
}
