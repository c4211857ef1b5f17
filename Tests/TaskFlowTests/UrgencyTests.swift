import Testing

@testable import TaskFlow

@Suite struct UrgencyTests {
    @Test func `priority counts first, then the earlier deadline, and none comes last`() {
        let now = ContinuousClock.now
        let ascending = [
            Urgency(.veryLow, deadline: now), Urgency(.normal), Urgency(.normal, deadline: now + .seconds(2)),
            Urgency(.normal, deadline: now + .seconds(1)), Urgency(.high), Urgency(.high, deadline: now),
        ]
        for (index, lesser) in ascending.enumerated() {
            #expect(!(lesser < lesser))
            for greater in ascending[(index + 1)...] {
                #expect(lesser < greater)
                #expect(!(greater < lesser))
            }
        }
    }
}
