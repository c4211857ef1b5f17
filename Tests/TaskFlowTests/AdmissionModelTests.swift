import TaskFlowTesting
import Testing

@testable import TaskFlow

/// The admission queue against the rules written down plainly, on thousands of random steps.
@Suite struct AdmissionModelTests {
    /// Finds the next waiter by asking all of them.
    private struct Model {
        struct Waiter {
            let ticket: UInt64
            let weight: Int
            var priority: WorkPriority
            var deadline: ContinuousClock.Instant?

            func isBefore(_ other: Waiter) -> Bool {
                if priority != other.priority { return priority > other.priority }
                switch (deadline, other.deadline) {
                case (let own?, let others?) where own != others: return own < others
                case (.some, nil): return true
                case (nil, .some): return false
                default: return ticket < other.ticket
                }
            }
        }

        var capacity: Int
        let keptBack: Int
        let threshold: WorkPriority
        var waiting: [Waiter] = []
        var inside: [Int] = []

        mutating func admit() -> [UInt64] {
            var admitted: [UInt64] = []
            while let next = waiting.min(by: { $0.isBefore($1) }), mayEnter(next) {
                waiting.removeAll { $0.ticket == next.ticket }
                inside.append(next.weight)
                admitted.append(next.ticket)
            }
            return admitted
        }

        func mayEnter(_ waiter: Waiter) -> Bool {
            let used = inside.reduce(0, +)
            let share = waiter.priority < threshold ? max(capacity - keptBack, 0) : capacity
            return used == 0 || used + waiter.weight <= share
        }
    }

    private let now = ContinuousClock.now

    @Test(.timeLimit(.minutes(1)), arguments: TestSeed.seeds(40))
    func `it lets in whom the rules let in, when they do, and leaves nobody behind`(seed: TestSeed) {
        var random = seed.random
        let capacity = Int.random(in: 1...6, using: &random)
        let keptBack = Int.random(in: 0...7, using: &random)
        let threshold = WorkPriority.allCases.randomElement(using: &random) ?? .normal
        var model = Model(capacity: capacity, keptBack: keptBack, threshold: threshold)
        var queue = AdmissionQueue(capacity: capacity, keptBack: keptBack, from: threshold)
        for ticket in 1...500 as ClosedRange<UInt64> {
            step(ticket, &model, &queue, &random)
            #expect(queue.used == model.inside.reduce(0, +))
            #expect(queue.waitingCount == model.waiting.count)
        }
        while let weight = model.inside.popLast() {
            let admitted = queue.release(weight: weight)
            #expect(admitted == model.admit())
        }
        #expect(queue.used == 0)
        #expect(queue.waitingCount == 0)
    }

    private func step(
        _ ticket: UInt64,
        _ model: inout Model,
        _ queue: inout AdmissionQueue,
        _ random: inout ScheduleRandom
    ) {
        let admitted: [UInt64]
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: admitted = arrive(ticket, &model, &queue, &random)
        case 4..<7:
            guard let weight = model.inside.popLast() else { return }
            admitted = queue.release(weight: weight)
        case 7:
            guard let index = model.waiting.indices.randomElement(using: &random) else { return }
            admitted = queue.cancel(model.waiting.remove(at: index).ticket) ?? []
        case 8:
            guard let index = model.waiting.indices.randomElement(using: &random) else { return }
            let urgency = makeUrgency(&random)
            model.waiting[index].priority = urgency.priority
            model.waiting[index].deadline = urgency.deadline
            admitted = queue.reprioritise(model.waiting[index].ticket, to: urgency)
        default:
            model.capacity = Int.random(in: 1...8, using: &random)
            admitted = queue.resize(to: model.capacity)
        }
        #expect(admitted == model.admit())
    }

    /// Enters at once if it may, else queues.
    private func arrive(
        _ ticket: UInt64,
        _ model: inout Model,
        _ queue: inout AdmissionQueue,
        _ random: inout ScheduleRandom
    ) -> [UInt64] {
        let urgency = makeUrgency(&random)
        let weight = Int.random(in: 0...9, using: &random)
        let (priority, deadline) = (urgency.priority, urgency.deadline)
        let waiter = Model.Waiter(ticket: ticket, weight: weight, priority: priority, deadline: deadline)
        // A newcomer passes only those whom it precedes by more than its age.
        let passes = model.waiting.allSatisfy { other in
            Model.Waiter(ticket: .max, weight: 0, priority: priority, deadline: deadline).isBefore(other)
        }
        let isAdmitted = queue.tryAdmit(weight: weight, urgency: urgency)
        #expect(isAdmitted == (passes && model.mayEnter(waiter)))
        if isAdmitted {
            model.inside.append(weight)
            return []
        }
        model.waiting.append(waiter)
        return queue.wait(ticket, weight: weight, urgency: urgency)
    }

    private func makeUrgency(_ random: inout ScheduleRandom) -> Urgency {
        let priority = WorkPriority.allCases.randomElement(using: &random) ?? .normal
        let seconds = Int.random(in: 0...3, using: &random)
        return Urgency(priority, deadline: seconds == 0 ? nil : now + .seconds(seconds))
    }
}
