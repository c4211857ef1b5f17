import TaskFlowTesting
import Testing

@testable import TaskFlow

@Suite struct AdmissionQueueTests {
    /// Queues tickets 1, 2, … with these priorities behind a full gate of one.
    private func fullQueue(_ priorities: [WorkPriority]) -> AdmissionQueue {
        var queue = AdmissionQueue(capacity: 1)
        #expect(queue.tryAdmit(weight: 1, urgency: Urgency(.normal)) == true)
        for (index, priority) in priorities.enumerated() {
            #expect(queue.wait(UInt64(index + 1), weight: 1, urgency: Urgency(priority)) == [])
        }
        return queue
    }

    private func drain(_ queue: inout AdmissionQueue) -> [UInt64] {
        var order: [UInt64] = []
        while queue.waitingCount > 0 { order += queue.release(weight: 1) }
        return order
    }

    @Test func `admits the most urgent first and the oldest of them`() {
        var queue = fullQueue([.low, .normal, .high, .normal, .high, .veryLow])
        #expect(drain(&queue) == [3, 5, 2, 4, 1, 6])
    }

    @Test func `a heavy head is not overtaken by a light item of its priority that would fit`() {
        var queue = AdmissionQueue(capacity: 10)
        #expect(queue.tryAdmit(weight: 6, urgency: Urgency(.normal)) == true)
        #expect(queue.wait(1, weight: 8, urgency: Urgency(.normal)) == [])
        #expect(queue.tryAdmit(weight: 1, urgency: Urgency(.normal)) == false)
        #expect(queue.wait(2, weight: 1, urgency: Urgency(.low)) == [])
        #expect(queue.tryAdmit(weight: 4, urgency: Urgency(.high)) == true)
        #expect(queue.release(weight: 4) == [])
        #expect(queue.release(weight: 6) == [1, 2])
    }

    @Test func `an item heavier than the gate is admitted alone, even one as heavy as can be`() {
        var queue = AdmissionQueue(capacity: 4)
        #expect(queue.tryAdmit(weight: 1, urgency: Urgency(.normal)) == true)
        #expect(queue.wait(1, weight: .max, urgency: Urgency(.normal)) == [])
        #expect(queue.release(weight: 1) == [1])
        #expect(queue.tryAdmit(weight: 1, urgency: Urgency(.veryHigh)) == false)
        #expect(queue.release(weight: .max) == [])
        #expect(queue.used == 0)
    }

    @Test func `the cancel of a heavy head lets in those behind it`() {
        var queue = AdmissionQueue(capacity: 4)
        #expect(queue.tryAdmit(weight: 3, urgency: Urgency(.normal)) == true)
        #expect(queue.wait(1, weight: 4, urgency: Urgency(.normal)) == [])
        #expect(queue.wait(2, weight: 1, urgency: Urgency(.normal)) == [])
        #expect(queue.cancel(1) == [2])
        #expect(queue.cancel(1) == nil)
    }

    @Test func `a waiter that rises and falls again finds its old place`() {
        var queue = fullQueue([.normal, .normal, .normal])
        #expect(queue.reprioritise(2, to: Urgency(.high)) == [])
        #expect(queue.reprioritise(2, to: Urgency(.normal)) == [])
        #expect(drain(&queue) == [1, 2, 3])
    }

    @Test func `a waiter that rises goes before later waiters of that priority`() {
        var queue = fullQueue([.low, .high, .normal])
        #expect(queue.reprioritise(1, to: Urgency(.high)) == [])
        #expect(drain(&queue) == [1, 2, 3])
    }

    @Test func `a higher capacity drains immediately and a lower one takes nothing back`() {
        var queue = fullQueue([.normal, .normal, .normal])
        #expect(queue.resize(to: 3) == [1, 2])
        #expect(queue.resize(to: 1) == [])
        #expect(queue.used == 3)
        #expect(queue.release(weight: 1) == [])
        #expect(queue.release(weight: 1) == [])
        #expect(queue.release(weight: 1) == [3])
    }

    @Test func `a holder grows only where nobody of its priority waits, and alone beyond the gate`() {
        var queue = AdmissionQueue(capacity: 10)
        #expect(queue.tryAdmit(weight: 4, urgency: Urgency(.normal)) == true)
        #expect(queue.tryGrow(from: 4, to: 30, urgency: Urgency(.normal)) == true)
        #expect(queue.release(weight: 26) == [])
        #expect(queue.tryAdmit(weight: 4, urgency: Urgency(.normal)) == true)
        #expect(queue.tryGrow(from: 4, to: 7, urgency: Urgency(.normal)) == false)
        #expect(queue.wait(1, weight: 5, urgency: Urgency(.normal)) == [])
        #expect(queue.tryGrow(from: 4, to: 5, urgency: Urgency(.normal)) == false)
        #expect(queue.tryGrow(from: 4, to: 5, urgency: Urgency(.high)) == true)
        #expect(queue.used == 9)
    }

    @Test func `of equal priority the earliest deadline is first, no deadline last, then age`() {
        let now = ContinuousClock.now
        var queue = fullQueue([.normal, .normal, .normal, .normal, .low, .high])
        #expect(queue.reprioritise(2, to: Urgency(.normal, deadline: now + .seconds(9))) == [])
        #expect(queue.reprioritise(3, to: Urgency(.normal, deadline: now + .seconds(5))) == [])
        #expect(queue.reprioritise(4, to: Urgency(.normal, deadline: now + .seconds(5))) == [])
        #expect(queue.reprioritise(5, to: Urgency(.low, deadline: now)) == [])
        #expect(drain(&queue) == [6, 3, 4, 2, 1, 5])
    }

    @Test func `a deadline that moves moves the waiter, and one that is taken away sends it to the end`() {
        let now = ContinuousClock.now
        var queue = fullQueue([.normal, .normal, .normal])
        for ticket in 1...3 as ClosedRange<UInt64> {
            _ = queue.reprioritise(ticket, to: Urgency(.normal, deadline: now + .seconds(ticket)))
        }
        _ = queue.reprioritise(3, to: Urgency(.normal, deadline: now))
        _ = queue.reprioritise(1, to: Urgency(.normal))
        #expect(drain(&queue) == [3, 2, 1])
    }

    @Test func `a caller with an earlier deadline passes a waiter that does not fit`() {
        let now = ContinuousClock.now
        var queue = AdmissionQueue(capacity: 4)
        #expect(queue.tryAdmit(weight: 2, urgency: Urgency()) == true)
        #expect(queue.wait(1, weight: 3, urgency: Urgency(.normal, deadline: now)) == [])
        #expect(queue.tryAdmit(weight: 1, urgency: Urgency(.normal, deadline: now)) == false)
        #expect(queue.tryAdmit(weight: 1, urgency: Urgency(.normal)) == false)
        let earlier = Urgency(.normal, deadline: now - .seconds(1))
        #expect(queue.tryAdmit(weight: 1, urgency: earlier) == true)
    }

    @Test(.timeLimit(.minutes(1)))
    func `twenty thousand waiters come, move, leave and pass in the right order`() {
        var random = ScheduleRandom(seed: 7)
        let count = 20_000
        var queue = AdmissionQueue(capacity: 1)
        #expect(queue.tryAdmit(weight: 1, urgency: Urgency(.normal)) == true)
        var expected: [(priority: WorkPriority, ticket: UInt64)] = []
        for ticket in 1...UInt64(count) {
            let priority = WorkPriority.allCases.randomElement(using: &random) ?? .normal
            _ = queue.wait(ticket, weight: 1, urgency: Urgency(.normal))
            _ = queue.reprioritise(ticket, to: Urgency(priority))
            if ticket.isMultiple(of: 3) {
                _ = queue.cancel(ticket)
            } else {
                expected.append((priority, ticket))
            }
        }
        expected.sort { $0.priority == $1.priority ? $0.ticket < $1.ticket : $0.priority > $1.priority }
        #expect(drain(&queue) == expected.map(\.ticket))
        #expect(queue.release(weight: 1) == [])
        #expect(queue.used == 0)
    }
}
