import TaskFlowTesting
import Testing

@testable import TaskFlow

@Suite struct LivePriorityTests {
    @Test func `it has the priority and the deadline that were set last`() {
        let live = LivePriority()
        #expect(live.current == .normal)
        #expect(live.deadline == nil)
        let deadline = ContinuousClock.now
        live.set(deadline: deadline)
        for priority in WorkPriority.allCases { live.set(priority) }
        #expect(live.current == .veryHigh)
        #expect(live.deadline == deadline)
        live.set(deadline: nil)
        #expect(live.urgency == Urgency(.veryHigh))
    }

    @Test func `observers receive only changes, in their order, until they leave`() {
        let live = LivePriority(.low)
        let told = Recorder<Int>()
        let ids = (0..<5).map { number in live.addObserver { told.record(number) } }
        live.set(.low)
        live.set(deadline: nil)
        #expect(told.values == [])
        live.set(.high)
        #expect(told.values == [0, 1, 2, 3, 4])
        live.removeObserver(ids[1])
        live.set(deadline: .now)
        #expect(told.values == [0, 1, 2, 3, 4, 0, 2, 3, 4])
    }
}
