import Testing

@testable import TaskFlow

/// The weight that an admission queue keeps back from work of low priority.
@Suite struct KeptBackTests {
    private let low = Urgency(.low)

    @Test func `low priority leaves free what is kept back, the threshold and above take it`() {
        var queue = AdmissionQueue(capacity: 10, keptBack: 4, from: .normal)
        #expect(queue.tryAdmit(weight: 6, urgency: low) == true)
        #expect(queue.tryAdmit(weight: 1, urgency: low) == false)
        #expect(queue.wait(1, weight: 1, urgency: low) == [])
        #expect(queue.tryAdmit(weight: 3, urgency: Urgency(.normal)) == true)
        #expect(queue.tryAdmit(weight: 1, urgency: Urgency(.high)) == true)
        #expect(queue.release(weight: 4) == [])
        #expect(queue.release(weight: 1) == [1])
        #expect(queue.used == 6)
    }

    @Test func `another threshold keeps back from all below it`() {
        var queue = AdmissionQueue(capacity: 2, keptBack: 1, from: .veryHigh)
        #expect(queue.tryAdmit(weight: 1, urgency: Urgency(.high)) == true)
        #expect(queue.tryAdmit(weight: 1, urgency: Urgency(.high)) == false)
        #expect(queue.tryAdmit(weight: 1, urgency: Urgency(.veryHigh)) == true)
    }

    @Test(arguments: [1, 2, 7, Int.max])
    func `low work heavier than its share enters an empty gate, so it never waits for ever`(keptBack: Int) {
        var queue = AdmissionQueue(capacity: 2, keptBack: keptBack)
        #expect(queue.tryAdmit(weight: 1, urgency: Urgency()) == true)
        #expect(queue.wait(1, weight: 2, urgency: low) == [])
        #expect(queue.wait(2, weight: .max, urgency: low) == [])
        #expect(queue.wait(3, weight: 1, urgency: low) == [])
        #expect(queue.release(weight: 1) == [1])
        #expect(queue.release(weight: 2) == [2])
        #expect(queue.release(weight: .max) == [3])
        #expect(queue.release(weight: 1) == [])
        #expect(queue.used == 0)
    }

    @Test func `a waiter that rises over the threshold enters immediately`() {
        var queue = AdmissionQueue(capacity: 3, keptBack: 1)
        #expect(queue.tryAdmit(weight: 2, urgency: low) == true)
        #expect(queue.wait(1, weight: 1, urgency: low) == [])
        #expect(queue.wait(2, weight: 1, urgency: low) == [])
        #expect(queue.reprioritise(2, to: Urgency(.high)) == [2])
        #expect(queue.reprioritise(1, to: Urgency(.normal)) == [])
        #expect(queue.release(weight: 1) == [1])
    }

    @Test func `a waiter that falls below the threshold admits nobody who may not enter`() {
        var queue = AdmissionQueue(capacity: 4, keptBack: 1)
        #expect(queue.tryAdmit(weight: 3, urgency: low) == true)
        #expect(queue.wait(1, weight: 2, urgency: Urgency(.normal)) == [])
        #expect(queue.wait(2, weight: 1, urgency: low) == [])
        #expect(queue.reprioritise(1, to: Urgency(.veryLow)) == [])
        #expect(queue.release(weight: 1) == [2])
        #expect(queue.release(weight: 2) == [1])
    }

    @Test func `a holder of low priority grows up to its share, and alone beyond it`() {
        var queue = AdmissionQueue(capacity: 10, keptBack: 4)
        #expect(queue.tryAdmit(weight: 1, urgency: Urgency()) == true)
        #expect(queue.tryAdmit(weight: 2, urgency: low) == true)
        #expect(queue.tryGrow(from: 2, to: 5, urgency: low) == true)
        #expect(queue.tryGrow(from: 5, to: 6, urgency: low) == false)
        #expect(queue.tryGrow(from: 5, to: 6, urgency: Urgency()) == true)
        #expect(queue.release(weight: 1) == [])
        #expect(queue.tryGrow(from: 6, to: 9, urgency: low) == true)
        #expect(queue.used == 9)
    }

    @Test func `a changed capacity keeps the same weight back`() {
        var queue = AdmissionQueue(capacity: 2, keptBack: 1)
        #expect(queue.tryAdmit(weight: 1, urgency: low) == true)
        for ticket in 1...3 as ClosedRange<UInt64> {
            #expect(queue.wait(ticket, weight: 1, urgency: low) == [])
        }
        #expect(queue.resize(to: 4) == [1, 2])
        #expect(queue.used == 3)
    }
}
