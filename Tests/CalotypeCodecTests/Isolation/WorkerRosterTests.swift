import Testing

@testable import CalotypeCodec

/// Who is started, given out and ended, without any process.
struct WorkerRosterTests {
    private var roster: WorkerRoster

    init() {
        roster = Self.roster()
    }

    private static func roster(most: Int = 2, spares: Int = 1, kept: Int = 0) -> WorkerRoster {
        WorkerRoster(.init(most: most, spares: spares, kept: kept, idleTime: .seconds(30)))
    }

    /// Starts a worker that is ready at once, and gives its number.
    private mutating func start(_ now: Duration = .zero) -> Int {
        let id = roster.enter(now: now)
        _ = roster.ready(id, now: now)
        return id
    }

    /// Starts a worker that ends before it is ready, and gives those who waited in vain.
    private mutating func failStart(_ now: Duration, isHopeless: Bool = false) -> [Int] {
        let id = roster.enter(now: now)
        return roster.gone(id, now: now, isHopeless: isHopeless)
    }

    @Test mutating func `nothing is started before somebody asks`() {
        #expect(roster.actions(now: .zero).starts == 0)
        #expect(roster.take(1, now: .zero) == .wait)
        #expect(roster.actions(now: .zero).starts == 1)
    }

    @Test mutating func `a spare worker is started when all waiting jobs have theirs`() {
        _ = roster.take(1, now: .zero)
        let id = roster.enter(now: .zero)
        #expect(roster.actions(now: .zero).starts == 0)
        #expect(roster.ready(id, now: .zero) == 1)
        #expect(roster.actions(now: .zero).starts == 1)
    }

    @Test mutating func `no more are started than may work, and the spares`() {
        for ticket in 1...10 { _ = roster.take(ticket, now: .zero) }
        #expect(roster.actions(now: .zero).starts == 3)
    }

    @Test
    mutating func `waiting jobs get workers in their order, and others theirs when workers return`() {
        for ticket in 1...4 { _ = roster.take(ticket, now: .zero) }
        let ids = [roster.enter(now: .zero), roster.enter(now: .zero)]
        #expect(roster.ready(ids[0], now: .zero) == 1)
        #expect(roster.ready(ids[1], now: .zero) == 2)
        roster.cancel(3)
        #expect(roster.ready(ids[1], now: .zero) == 4)
        #expect(roster.ready(ids[0], now: .zero) == nil)
        #expect(roster.idle == [ids[0]])
    }

    @Test mutating func `the worker that worked last is given out first`() {
        let (first, second) = (start(.seconds(1)), start(.seconds(2)))
        #expect(roster.take(1, now: .seconds(3)) == .take(second))
        #expect(roster.take(2, now: .seconds(3)) == .take(first))
    }

    @Test mutating func `workers without anything to do end after their time, but for those that are kept`() {
        roster = Self.roster(most: 4, kept: 1)
        let ids = [start(.seconds(0)), start(.seconds(1)), start(.seconds(2))]
        #expect(roster.actions(now: .seconds(29)).ends == [])
        #expect(roster.actions(now: .seconds(29)).next == .seconds(30))
        #expect(roster.actions(now: .seconds(31)).ends == [ids[0], ids[1]])
        #expect(roster.idle == [ids[2]])
        #expect(roster.actions(now: .seconds(1_000)).ends == [])
    }

    @Test mutating func `a worker that is not ready in time is ended, and counts as a failed start`() {
        _ = roster.take(1, now: .zero)
        let id = roster.enter(now: .zero)
        #expect(roster.actions(now: .seconds(20)).ends == [id])
        #expect(roster.gone(id, now: .seconds(20)) == [])
        #expect(roster.actions(now: .seconds(20)).starts == 0)
        #expect(roster.actions(now: .seconds(21)).starts == 1)
    }

    @Test mutating func `after two failed starts nobody waits, and pauses grow`() {
        _ = roster.take(1, now: .zero)
        #expect(failStart(.zero) == [])
        #expect(roster.actions(now: .zero).next == .milliseconds(100))
        #expect(failStart(.milliseconds(100)) == [1])
        #expect(roster.take(2, now: .milliseconds(299)) == .refuse)
        #expect(roster.take(3, now: .milliseconds(300)) == .wait)
        #expect(failStart(.milliseconds(300)) == [3])
        #expect(roster.take(4, now: .milliseconds(699)) == .refuse)
        for _ in 0..<50 { _ = failStart(.seconds(1)) }
        #expect(roster.take(5, now: .seconds(10)) == .refuse)
        #expect(roster.take(6, now: .seconds(11)) == .wait)
        #expect(roster.actions(now: .seconds(11)).starts == 1)
    }

    @Test mutating func `a start that cannot succeed is not tried twice`() {
        _ = roster.take(1, now: .zero)
        #expect(failStart(.zero, isHopeless: true) == [1])
    }

    @Test mutating func `workers that end before they did a job count as failed starts`() {
        for _ in 0..<2 {
            let id = start()
            #expect(roster.seize(idle: id) == true)
            #expect(roster.seize(idle: id) == false)
            _ = roster.gone(id, now: .zero)
        }
        #expect(roster.take(1, now: .zero) == .refuse)
    }

    @Test mutating func `workers that end at the same time count as one failed start`() {
        let ids = (0..<3).map { _ in start() }
        _ = roster.take(1, now: .zero)
        for id in ids where roster.seize(idle: id) { _ = roster.gone(id, now: .zero) }
        #expect(roster.take(2, now: .zero) == .wait)
    }

    @Test mutating func `a worker that was ready is replaced immediately, and the second time after a pause`()
    {
        var id = start()
        #expect(roster.seize(idle: id) == true)
        _ = roster.gone(id, now: .zero)
        #expect(roster.take(1, now: .zero) == .wait)
        #expect(roster.actions(now: .zero).starts == 1)
        id = roster.enter(now: .zero)
        #expect(roster.gone(id, now: .zero) == [1])
        #expect(roster.actions(now: .zero).starts == 0)
        #expect(roster.take(2, now: .zero) == .refuse)
        #expect(roster.take(3, now: .milliseconds(200)) == .wait)
    }

    @Test mutating func `a worker that ends with a template that was good is no failed start`() {
        let first = start()
        #expect(roster.hasProvenTemplate == false)
        #expect(roster.take(1, now: .zero) == .take(first))
        _ = roster.ready(first, now: .zero)
        #expect(roster.hasProvenTemplate == true)
        _ = roster.take(2, now: .zero)
        _ = roster.take(3, now: .zero)
        for _ in 0..<3 {
            let id = roster.enter(now: .zero)
            #expect(roster.gone(id, now: .zero, isOrphan: true) == [])
        }
        #expect(roster.actions(now: .zero).starts == 1)
    }

    @Test mutating func `a worker that ends with a template that never did anything is a failed start`() {
        _ = roster.take(1, now: .zero)
        roster.renew(from: roster.entered + 1)
        let ids = [roster.enter(now: .zero), roster.enter(now: .zero)]
        #expect(roster.gone(ids[0], now: .zero, isOrphan: true) == [])
        #expect(roster.gone(ids[1], now: .zero, isOrphan: true) == [])
        #expect(roster.actions(now: .zero).starts == 0)
        roster.renew(from: roster.entered + 1)
        let id = roster.enter(now: .milliseconds(100))
        #expect(roster.gone(id, now: .milliseconds(100), isOrphan: true) == [1])
    }

    @Test mutating func `what is left of an earlier template says nothing of the next one`() {
        let old = start()
        roster.renew(from: roster.entered + 1)
        #expect(roster.seize(idle: old) == true)
        _ = roster.gone(old, now: .zero, isOrphan: true)
        _ = roster.take(1, now: .zero)
        #expect(roster.actions(now: .zero).starts == 1)
        let new = roster.enter(now: .zero)
        #expect(roster.gone(new, now: .zero) == [])
    }

    @Test mutating func `nothing has to be warm when there has been no worker for the idle time`() {
        let id = start()
        #expect(roster.actions(now: .seconds(29)).isAtRest == false)
        #expect(roster.actions(now: .seconds(30)).ends == [id])
        _ = roster.gone(id, now: .seconds(30))
        #expect(roster.actions(now: .seconds(30)).isAtRest == false)
        #expect(roster.actions(now: .seconds(30)).next == .seconds(60))
        #expect(roster.actions(now: .seconds(60)).isAtRest == true)
        #expect(roster.actions(now: .seconds(60)).next == nil)
        _ = roster.take(1, now: .seconds(61))
        #expect(roster.actions(now: .seconds(61)).isAtRest == false)
        roster = Self.roster(kept: 1)
        #expect(roster.actions(now: .seconds(60)).isAtRest == false)
    }

    @Test mutating func `a job that is done proves that workers can be started`() {
        _ = failStart(.zero)
        let id = start()
        _ = roster.take(1, now: .zero)
        _ = roster.ready(id, now: .zero)
        #expect(roster.seize(idle: id) == true)
        #expect(roster.gone(id, now: .zero) == [])
        #expect(roster.take(2, now: .zero) == .wait)
        #expect(roster.actions(now: .zero).starts == 1)
    }

    @Test mutating func `a worker that ends at its work is replaced immediately`() {
        let id = start()
        #expect(roster.take(1, now: .zero) == .take(id))
        _ = roster.take(2, now: .zero)
        #expect(roster.gone(id, now: .zero) == [])
        #expect(roster.actions(now: .zero).starts == 1)
    }

    @Test mutating func `a closed roster ends all and lets nobody wait`() {
        let idle = start()
        let starting = roster.enter(now: .zero)
        #expect(roster.close() == [])
        #expect(roster.take(1, now: .zero) == .refuse)
        #expect(Set(roster.actions(now: .zero).ends) == [idle, starting])
        _ = roster.gone(starting, now: .zero)
        #expect(roster.isEmpty)
        #expect(roster.actions(now: .zero) == .init())
    }
}
