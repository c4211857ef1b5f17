import TaskFlow

/// The rules of an admission gate written down plainly: everything is found by looking at all who wait.
struct GateModel: PartlySeen {
    struct Waiter: Hashable, Sendable {
        let id: Int
        let weight: Int
        var rank: Rank
        var isCancelled = false
    }

    var capacity = 1
    var keptBack = 0
    /// Work of lower priority leaves free what is kept back.
    var threshold = WorkPriority.normal
    /// Those who could not enter at once and are not in the queue yet.
    private(set) var coming: [Waiter] = []
    private(set) var waiting: [Waiter] = []
    /// The weights of those inside.
    private(set) var inside: [Int: Int] = [:]
    /// Those inside whose scope has ended.
    private var leaving: [Int] = []
    /// All who had to wait, the oldest first.
    private var ages: [Int] = []

    var used: Int { inside.values.reduce(0, +) }

    func isWaiting(_ id: Int) -> Bool { waiting.contains { $0.id == id } }

    func isInside(_ id: Int) -> Bool { inside[id] != nil }

    /// One more of those who come is in the queue, or one of those who leave has left.
    var afterUnseenStep: [GateModel] {
        let entries = coming.filter { !$0.isCancelled }.map { waiter in
            var model = self
            model.coming.removeAll { $0.id == waiter.id }
            model.waiting.append(waiter)
            model.waiting.sort { ages.firstIndex(of: $0.id) ?? 0 < ages.firstIndex(of: $1.id) ?? 0 }
            model.settle()
            return model
        }
        let exits = leaving.map { id in
            var model = self
            model.release(id)
            return model
        }
        return entries + exits
    }

    mutating func arrive(_ id: Int, weight: Int, rank: Rank) {
        if mayPass(weight, rank) {
            inside[id] = weight
        } else {
            ages.append(id)
            coming.append(Waiter(id: id, weight: weight, rank: rank))
        }
    }

    /// Whether a newcomer enters without waiting.
    func mayPass(_ weight: Int, _ rank: Rank) -> Bool {
        waiting.allSatisfy { $0.rank < rank } && hasRoom(weight, rank)
    }

    /// Whether one that is inside may take that much more.
    func mayGrow(_ id: Int, to weight: Int, rank: Rank) -> Bool {
        guard let current = inside[id] else { return false }
        guard current < weight else { return true }
        guard waiting.allSatisfy({ $0.rank < rank }) else { return false }
        return used == current || used - current + weight <= share(rank)
    }

    /// Changes what one that is inside holds.
    mutating func hold(_ id: Int, weight: Int) {
        inside[id] = weight
        settle()
    }

    mutating func beginToLeave(_ id: Int) {
        leaving.append(id)
    }

    mutating func release(_ id: Int) {
        inside[id] = nil
        leaving.removeAll { $0 == id }
        settle()
    }

    mutating func cancel(_ id: Int) {
        for index in coming.indices where coming[index].id == id { coming[index].isCancelled = true }
        waiting.removeAll { $0.id == id }
        settle()
    }

    /// One who waited has left without a permit; false if it should not have.
    mutating func leave(_ id: Int) -> Bool {
        let mayLeave = !isWaiting(id) && !isInside(id) && coming.allSatisfy { $0.id != id || $0.isCancelled }
        coming.removeAll { $0.id == id }
        return mayLeave
    }

    mutating func resize(to capacity: Int) {
        self.capacity = max(capacity, 1)
        settle()
    }

    mutating func change(_ id: Int, to rank: Rank) {
        for index in coming.indices where coming[index].id == id { coming[index].rank = rank }
        for index in waiting.indices where waiting[index].id == id { waiting[index].rank = rank }
        settle()
    }

    /// Lets in those who are next, until the next one does not fit.
    private mutating func settle() {
        while let next, hasRoom(next.weight, next.rank) {
            waiting.removeAll { $0.id == next.id }
            inside[next.id] = next.weight
        }
    }

    private var next: Waiter? {
        guard let highest = waiting.map(\.rank).max() else { return nil }
        return waiting.first { $0.rank == highest }
    }

    private func hasRoom(_ weight: Int, _ rank: Rank) -> Bool {
        used == 0 || used + weight <= share(rank)
    }

    private func share(_ rank: Rank) -> Int {
        rank.priority < threshold ? max(capacity - keptBack, 0) : capacity
    }
}
