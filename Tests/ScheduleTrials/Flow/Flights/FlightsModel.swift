import TaskFlow

/// The rules of a coalescer written down plainly.
///
/// Callers are numbered, and a flight has the number of the caller that started it.
struct FlightsModel: PartlySeen {
    enum Outcome: Hashable, Sendable {
        case value(Int)
        case failed(Int)
        case cancelled
        /// The scope takes no more flights.
        case refused
    }

    struct Caller: Hashable, Sendable {
        let id: Int
        let key: Int
        var isCancelled = false
    }

    struct Flight: Hashable, Sendable {
        let starter: Int
        let key: Int
        var waiters: [Int]
        /// That of its waiters; of the last when none is left.
        var rank: Rank
        var isOpen = true
        var isCancelled = false
        var hasBegun = false
        /// What its operation made, until those who wait have it.
        var outcome: Outcome?
    }

    /// The ranks of priorities, and which caller has which.
    private var ranks: [Int: Rank]
    private let priorities: [Int: Int]
    /// Those who have called and may not have joined a flight yet.
    private(set) var coming: [Caller] = []
    /// Those whose work has not ended.
    private(set) var flights: [Flight] = []
    private var due: [Int: Outcome] = [:]
    private var isScopeOpen = true
    private var willScopeClose = false

    init(ranks: [Int: Rank], priorities: [Int: Int]) {
        self.ranks = ranks
        self.priorities = priorities
    }

    var waiterCount: Int { flights.reduce(0) { $0 + $1.waiters.count } }

    func hasOpenFlight(for key: Int) -> Bool { flights.contains { $0.isOpen && $0.key == key } }

    func flight(startedBy id: Int) -> Flight? { flights.first { $0.starter == id } }

    func isWaiting(_ id: Int) -> Bool { flights.contains { $0.waiters.contains(id) } }

    /// One more of those who come has joined, a flight has ended whose operation had, or the scope takes no more.
    var afterUnseenStep: [FlightsModel] {
        let joins = coming.filter { !$0.isCancelled }.map { caller in
            var model = self
            model.coming.removeAll { $0.id == caller.id }
            model.join(caller)
            return model
        }
        let ends = flights.filter { $0.outcome != nil }.map { flight in
            var model = self
            model.flights.removeAll { $0.starter == flight.starter }
            for waiter in flight.waiters { model.due[waiter] = flight.outcome }
            return model
        }
        return joins + ends + [closed]
    }

    mutating func arrive(_ id: Int, key: Int) {
        coming.append(Caller(id: id, key: key))
    }

    mutating func cancel(_ id: Int) {
        for index in coming.indices where coming[index].id == id { coming[index].isCancelled = true }
        for index in flights.indices where flights[index].waiters.contains(id) {
            flights[index].waiters.removeAll { $0 == id }
            due[id] = .cancelled
            guard flights[index].waiters.isEmpty else { continue }
            flights[index].isOpen = false
            flights[index].isCancelled = true
        }
        refreshRanks()
    }

    mutating func change(_ priority: Int, to rank: Rank) {
        ranks[priority] = rank
        refreshRanks()
    }

    /// False if the operation should not have begun.
    mutating func begin(_ starter: Int) -> Bool {
        guard let index = flights.firstIndex(where: { $0.starter == starter }) else { return false }
        defer { flights[index].hasBegun = true }
        return !flights[index].hasBegun
    }

    mutating func end(_ starter: Int, _ outcome: Outcome) {
        for index in flights.indices where flights[index].starter == starter {
            flights[index].outcome = outcome
        }
    }

    /// False if the caller should not have got that.
    mutating func leave(_ id: Int, _ outcome: Outcome) -> Bool {
        let isCancelled = coming.contains { $0.id == id && $0.isCancelled }
        coming.removeAll { $0.id == id }
        return due.removeValue(forKey: id) == outcome || isCancelled && outcome == .cancelled
    }

    mutating func cancelScope() {
        isScopeOpen = false
        for index in flights.indices { flights[index].isCancelled = true }
    }

    mutating func closeScope() {
        willScopeClose = true
    }

    private var closed: FlightsModel {
        var model = self
        if willScopeClose { model.isScopeOpen = false }
        return model
    }

    private mutating func join(_ caller: Caller) {
        if let index = flights.firstIndex(where: { $0.isOpen && $0.key == caller.key }) {
            flights[index].waiters.append(caller.id)
            refreshRanks()
        } else if isScopeOpen {
            let rank = rank(of: caller.id)
            flights.append(Flight(starter: caller.id, key: caller.key, waiters: [caller.id], rank: rank))
        } else {
            due[caller.id] = .refused
        }
    }

    private func rank(of id: Int) -> Rank {
        priorities[id].flatMap { ranks[$0] } ?? Rank(priority: .normal)
    }

    private mutating func refreshRanks() {
        for index in flights.indices {
            let waiting = flights[index].waiters.map { rank(of: $0) }
            guard let priority = waiting.map(\.priority).max() else { continue }
            flights[index].rank = Rank(
                priority: priority,
                deadline: waiting.compactMap(\.deadline).min()
            )
        }
    }
}
