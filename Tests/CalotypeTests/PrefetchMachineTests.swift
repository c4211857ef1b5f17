import CalotypeSamplePictures
import Testing

@testable import Calotype

@Suite
struct PrefetchMachineTests {
    private typealias Machine = PrefetchMachine<String>

    @Test func `begins in order, as many as there are places`() {
        var machine = Machine(limit: 2, capacity: 10)
        let (_, actions) = machine.add(["a", "b", "c"])
        #expect(actions.begin.map(\.key) == ["a", "b"])
        #expect(machine.waitingCount == 1)
        let next = machine.finish(actions.begin[0].run, .loaded)
        #expect(next.begin.map(\.key) == ["c"])
    }

    @Test func `a request made twice starts once, and counts once in each list`() {
        var machine = Machine(limit: 4, capacity: 10)
        let (first, one) = machine.add(["a", "a", "b", "a"])
        #expect(one.begin.map(\.key) == ["a", "b"])
        let (second, two) = machine.add(["b", "a"])
        #expect(two.begin.isEmpty)
        let three = machine.finish(one.begin[0].run, .loaded)
        #expect(three.ended.isEmpty)
        let four = machine.finish(one.begin[1].run, .failed)
        #expect(Set(four.ended.map(\.list)) == [first, second])
        for ended in four.ended {
            #expect(ended.summary.loaded == 1)
            #expect(ended.summary.failed == 1)
            #expect(ended.summary.total == 2)
        }
    }

    @Test func `an empty list ends immediately`() {
        var machine = Machine(limit: 1, capacity: 1)
        let (list, actions) = machine.add([])
        #expect(actions.ended.map(\.list) == [list])
        #expect(actions.ended.first?.summary == PrefetchSummary())
    }

    @Test func `more than the capacity is refused and counted`() {
        var machine = Machine(limit: 1, capacity: 3)
        let (_, first) = machine.add(["a", "b", "c", "d", "d"])
        #expect(machine.waitingCount == 2)
        let (_, second) = machine.add(["a"])
        #expect(second.ended.first?.summary.refused == 1)
        let third = machine.stopAll()
        #expect(third.cancel == [first.begin[0].run])
        #expect(third.ended.first?.summary.stopped == 3)
        #expect(third.ended.first?.summary.refused == 1)
        let (_, fourth) = machine.add(["e"])
        #expect(fourth.begin.isEmpty, "the cancelled load has not ended, its place is not free")
        let fifth = machine.finish(first.begin[0].run, .stopped)
        #expect(fifth.begin.map(\.key) == ["e"])
    }

    @Test func `stopped and requested again, it starts over`() {
        var machine = Machine(limit: 2, capacity: 10)
        let (_, first) = machine.add(["a"])
        let stopped = machine.stop(["a", "unknown"])
        #expect(stopped.cancel == [first.begin[0].run])
        #expect(!machine.isWanted(first.begin[0].run))
        let (list, second) = machine.add(["a"])
        #expect(second.begin.map(\.key) == ["a"])
        let late = machine.finish(first.begin[0].run, .loaded)
        #expect(late.ended.isEmpty, "the old load must not end the new list")
        let end = machine.finish(second.begin[0].run, .loaded)
        #expect(end.ended.map(\.list) == [list])
    }

    @Test func `a cancelled list leaves what others want`() {
        var machine = Machine(limit: 1, capacity: 10)
        let (first, begun) = machine.add(["a", "b", "c"])
        _ = machine.add(["a", "c"])
        let cancelled = machine.cancel(first)
        #expect(cancelled.cancel.isEmpty)
        #expect(cancelled.ended.map(\.list) == [first])
        #expect(cancelled.ended.first?.summary.stopped == 3)
        #expect(machine.waitingCount == 1)
        let next = machine.finish(begun.begin[0].run, .loaded)
        #expect(next.begin.map(\.key) == ["c"])
    }

    @Test func `paused it begins nothing, resumed all that there are places for`() {
        var machine = Machine(limit: 2, capacity: 10)
        machine.pause()
        let (_, paused) = machine.add(["a", "b", "c"])
        #expect(paused.begin.isEmpty)
        let resumed = machine.resume()
        #expect(resumed.begin.map(\.key) == ["a", "b"])
    }

    @Test func `closed it stops all, and takes nothing more`() {
        var machine = Machine(limit: 1, capacity: 10)
        _ = machine.add(["a", "b"])
        let closed = machine.close()
        #expect(closed.cancel.count == 1)
        #expect(closed.ended.first?.summary.stopped == 2)
        let (_, late) = machine.add(["c"])
        #expect(late.begin.isEmpty)
        #expect(late.ended.first?.summary.stopped == 1)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `whatever happens, each list ends once and no request has two loads`(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var fixture = Fixture(limit: Int.random(in: 1...5, using: &random))
        for _ in 0..<2_000 {
            fixture.step(&random)
            fixture.check()
        }
        fixture.settle()
        #expect(fixture.open.isEmpty)
        #expect(fixture.machine.waitingCount == 0)
        #expect(fixture.machine.runCount == 0)
    }
}

/// A prefetcher's rules with someone who carries out what they say.
private struct Fixture {
    let limit: Int
    var machine: PrefetchMachine<Int>
    /// The lists that have not ended, and how many different requests each has.
    var open: [UInt64: Int] = [:]
    /// What runs, and whether it is wanted yet.
    var runs: [UInt64: Int] = [:]
    var cancelled: Set<UInt64> = []

    init(limit: Int) {
        self.limit = limit
        machine = PrefetchMachine(limit: limit, capacity: 40)
    }

    mutating func step(_ random: inout SeededRandom) {
        let keys = (0..<Int.random(in: 0...6, using: &random)).map { _ in
            Int.random(in: 0..<20, using: &random)
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6:
            let (list, actions) = machine.add(keys)
            open[list] = Set(keys).count
            act(actions)
        case 6..<9: act(machine.stop(keys))
        case 9: act(machine.stopAll())
        case 10, 11:
            if let list = open.keys.sorted().randomElement(using: &random) { act(machine.cancel(list)) }
        case 12: machine.pause()
        case 13, 14: act(machine.resume())
        default:
            guard let run = runs.keys.sorted().randomElement(using: &random) else { return }
            finish(run, Bool.random(using: &random) ? .loaded : .failed)
        }
    }

    mutating func settle() {
        act(machine.resume())
        while let run = runs.keys.first { finish(run, .loaded) }
    }

    mutating func finish(_ run: UInt64, _ outcome: PrefetchSummary.Outcome) {
        runs[run] = nil
        act(machine.finish(run, cancelled.contains(run) ? .stopped : outcome))
    }

    mutating func act(_ actions: PrefetchMachine<Int>.Actions) {
        for (run, key) in actions.begin { runs[run] = key }
        for run in actions.cancel {
            #expect(runs[run] != nil)
            #expect(cancelled.insert(run).inserted, "cancelled twice")
        }
        for (list, summary) in actions.ended {
            let count = open.removeValue(forKey: list)
            #expect(count == summary.total, "a list ended twice or counts wrongly")
        }
    }

    func check() {
        let wanted = runs.filter { !cancelled.contains($0.key) }
        #expect(Set(wanted.values).count == wanted.count, "two loads of one request")
        #expect(wanted.keys.allSatisfy(machine.isWanted))
        #expect(!cancelled.contains(where: machine.isWanted))
        #expect(runs.count <= limit)
        #expect(machine.runCount == runs.count)
        #expect(machine.isPaused || machine.waitingCount == 0 || runs.count == limit)
    }
}
