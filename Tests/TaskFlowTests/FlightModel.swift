@testable import TaskFlow

/// The rules of the coalescer written down plainly: everything is found by asking all callers.
///
/// Callers are numbered, and a flight has the number of the caller that started it.
struct FlightModel {
    enum Outcome: Equatable {
        case value(Int)
        case failed(Int)
        case cancelled
        /// The scope takes no more flights.
        case refused
    }

    struct Caller {
        enum State: Equatable {
            /// Its task has been made but has not come to the coalescer.
            case coming
            case waiting(flight: Int)
            case done(Outcome)
        }

        let key: Int
        var urgency: Urgency
        var state = State.coming
        var isCancelled = false
    }

    struct Flight {
        let starter: Int
        let key: Int
        /// That of its waiters; of the last when none is left.
        var urgency: Urgency
        var isOpen = true
        var isCancelled = false
        var hasEnded = false
    }

    private(set) var callers: [Caller] = []
    private(set) var flights: [Flight] = []
    private(set) var scopeHasEnded = false

    var flightCount: Int { flights.count { !$0.hasEnded } }

    var waiterCount: Int {
        callers.count { if case .waiting = $0.state { true } else { false } }
    }

    func hasFlight(for key: Int) -> Bool {
        flights.contains { $0.isOpen && $0.key == key }
    }

    func flight(startedBy caller: Int) -> Flight? {
        flights.first { $0.starter == caller }
    }

    mutating func create(key: Int, urgency: Urgency) {
        callers.append(Caller(key: key, urgency: urgency))
    }

    mutating func arrive(_ caller: Int) {
        let key = callers[caller].key
        if callers[caller].isCancelled {
            callers[caller].state = .done(.cancelled)
        } else if let flight = flights.first(where: { $0.isOpen && $0.key == key }) {
            callers[caller].state = .waiting(flight: flight.starter)
        } else if scopeHasEnded {
            callers[caller].state = .done(.refused)
        } else {
            flights.append(Flight(starter: caller, key: key, urgency: callers[caller].urgency))
            callers[caller].state = .waiting(flight: caller)
        }
        refreshUrgencies()
    }

    mutating func cancel(_ caller: Int) {
        callers[caller].isCancelled = true
        guard case .waiting(let flight) = callers[caller].state else { return }
        callers[caller].state = .done(.cancelled)
        if !callers.contains(where: { $0.state == .waiting(flight: flight) }) {
            update(flight) {
                $0.isOpen = false
                $0.isCancelled = true
            }
        }
        refreshUrgencies()
    }

    mutating func set(_ caller: Int, _ urgency: Urgency) {
        callers[caller].urgency = urgency
        refreshUrgencies()
    }

    mutating func end(_ flight: Int, _ outcome: Outcome) {
        for index in callers.indices where callers[index].state == .waiting(flight: flight) {
            callers[index].state = .done(outcome)
        }
        update(flight) {
            $0.isOpen = false
            $0.hasEnded = true
        }
    }

    mutating func endScope() {
        scopeHasEnded = true
        for index in flights.indices where !flights[index].hasEnded { flights[index].isCancelled = true }
    }

    private mutating func update(_ starter: Int, _ change: (inout Flight) -> Void) {
        for index in flights.indices where flights[index].starter == starter { change(&flights[index]) }
    }

    private mutating func refreshUrgencies() {
        for index in flights.indices where !flights[index].hasEnded {
            let waiting = callers.filter { $0.state == .waiting(flight: flights[index].starter) }
            guard let priority = waiting.map(\.urgency.priority).max() else { continue }
            flights[index].urgency = Urgency(priority, deadline: waiting.compactMap(\.urgency.deadline).min())
        }
    }
}
