/// Whom to tell, outside the lock, that a flight has become more or less urgent.
struct UrgencyNotice: Sendable {
    let work: FlightWork
    let observers: [LivePriority.Observer]

    func send() {
        for observer in observers { observer() }
        work.escalate()
    }
}
