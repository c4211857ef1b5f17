import CalotypeCore
import CalotypeHTTP
import TaskFlow
import TaskFlowTesting
import Testing

@testable import Calotype

/// Which loads may begin: the rules, compared with the same rules written down plainly.
struct SourceWindowTests {
    private static let hosts = (0..<3).map { "http://\($0).test" }

    private static func key(_ host: Int, _ name: Int) throws -> SourceKey {
        try SourceKey(ImageRequest("\(hosts[host])/\(name)"))
    }

    private func host(_ key: SourceKey) throws -> WebURL.Origin { try #require(key.host) }

    @Test func `loads of one source enter together and count once`() throws {
        var window = SourceWindow(perHost: 1, total: 9)
        let (first, second) = (try Self.key(0, 0), try Self.key(0, 1))
        let origin = try host(first)
        #expect(window.enter(first, at: origin, .normal) == [])
        #expect(window.enter(first, at: origin, .normal) == [])
        #expect(window.enter(second, at: origin, .normal) == nil)
        #expect(window.wait(1, for: second, at: origin, Urgency()) == [])
        #expect(window.wait(2, for: second, at: origin, Urgency()) == [])
        #expect(window.waiting == [origin: 1])
        #expect(window.leave(first) == [])
        #expect(window.leave(first) == [1, 2])
        #expect(window.waiting == [:])
        for _ in 1...2 { #expect(window.leave(second) == []) }
        #expect(window.isEmpty)
    }

    @Test func `a source that has arrived no longer counts at its host`() throws {
        var window = SourceWindow(perHost: 1, total: 2)
        let keys = try (0..<3).map { try Self.key(0, $0) }
        let origin = try host(keys[0])
        #expect(window.enter(keys[0], at: origin, .normal) == [])
        #expect(window.begin(keys[0], at: origin) == [])
        #expect(window.wait(1, for: keys[1], at: origin, Urgency()) == [])
        #expect(window.wait(2, for: keys[2], at: origin, Urgency()) == [])
        #expect(window.end(keys[0]) == [1])
        #expect(window.begin(keys[1], at: origin) == [])
        // Two pictures are being made, and there is no place in total.
        #expect(window.end(keys[1]) == [])
        #expect(window.leave(keys[0]) == [2])
        #expect(window.leave(keys[1]) == [] && window.leave(keys[2]) == [])
        #expect(window.isEmpty)
    }

    @Test func `a source whose attempt failed gives its place to another, and keeps its loads`() throws {
        var window = SourceWindow(perHost: 1, total: 1)
        let (first, second) = (try Self.key(0, 0), try Self.key(0, 1))
        let origin = try host(first)
        #expect(window.enter(first, at: origin, .normal) == [])
        #expect(window.begin(first, at: origin) == [])
        #expect(window.wait(1, for: second, at: origin, Urgency()) == [])
        #expect(window.release(first) == [1])
        #expect(window.release(first) == [])
        #expect(window.enter(first, at: origin, .normal) == [])
        #expect(window.end(first) == [] && window.leave(first) == [] && window.leave(first) == [])
        #expect(window.leave(second) == [])
        #expect(window.isEmpty)
    }

    @Test func `a download for another purpose lets in the loads that wait for it`() throws {
        var window = SourceWindow(perHost: 1, total: 9)
        let (first, second) = (try Self.key(0, 0), try Self.key(0, 1))
        let origin = try host(first)
        #expect(window.enter(first, at: origin, .normal) == [])
        #expect(window.wait(1, for: second, at: origin, Urgency()) == [])
        #expect(window.begin(second, at: origin) == [1])
        #expect(window.enter(second, at: origin, .veryLow) == [])
        #expect(window.end(second) == [])
        #expect(window.leave(second) == [] && window.leave(second) == [] && window.leave(first) == [])
        #expect(window.isEmpty)
    }

    @Test func `a host that hangs holds up no other, however many of its loads wait`() throws {
        var window = SourceWindow(perHost: 8, total: 16)
        let dead = try (0..<1000).map { try Self.key(0, $0) }
        let origin = try host(dead[0])
        for (number, key) in dead.enumerated() where window.enter(key, at: origin, .normal) == nil {
            #expect(window.wait(SourceWindow.Ticket(number), for: key, at: origin, Urgency()) == [])
        }
        let live = try Self.key(1, 0)
        #expect(window.enter(live, at: try host(live), .normal) == [])
    }

    @Test func `when all places are taken, the host with the fewest is next`() throws {
        var window = SourceWindow(perHost: 8, total: 4)
        let dead = try (0..<8).map { try Self.key(0, $0) }
        let origin = try host(dead[0])
        for (number, key) in dead.enumerated() where window.enter(key, at: origin, .normal) == nil {
            #expect(window.wait(SourceWindow.Ticket(number), for: key, at: origin, Urgency()) == [])
        }
        let live = try Self.key(1, 0)
        #expect(window.enter(live, at: try host(live), .normal) == nil)
        #expect(window.wait(100, for: live, at: try host(live), Urgency()) == [])
        #expect(window.leave(dead[0]) == [100])
        #expect(window.leave(dead[1]) == [4])
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `whatever happens, the loads that the rules let in enter, and no others`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var trial = try Trial(perHost: Int.random(in: 1...4, using: &random), total: 6)
        for _ in 0..<120 { try trial.step(&random) }
        try trial.end()
    }
}

/// A window beside its rules written down plainly.
private struct Trial {
    struct Load {
        let ticket: SourceWindow.Ticket
        let key: SourceKey
        var urgency: Urgency
    }

    var window: SourceWindow
    let perHost: SourceWindow.Size
    let total: SourceWindow.Size
    let keys: [SourceKey]
    var waiting: [Load] = []
    var loads: [SourceKey] = []
    var downloads: [SourceKey] = []
    var atHost: Set<SourceKey> = []
    var inTotal: Set<SourceKey> = []
    var last: SourceWindow.Ticket = 0

    init(perHost: Int, total: Int) throws {
        window = SourceWindow(perHost: perHost, total: total)
        self.perHost = SourceWindow.Size(count: perHost)
        self.total = SourceWindow.Size(count: total)
        keys = try (0..<15).map { try SourceKey(ImageRequest("http://\($0 % 3).test/\($0)")) }
    }

    func count(at host: WebURL.Origin?) -> Int { atHost.count { $0.host == host } }

    func isInside(_ key: SourceKey) -> Bool { loads.contains(key) || downloads.contains(key) }

    func hasRoom(_ key: SourceKey, _ priority: WorkPriority) -> Bool {
        perHost.admits(priority, beside: count(at: key.host)) && total.admits(priority, beside: inTotal.count)
    }

    /// Lets in all that wait for `key`.
    mutating func takeWaiters(_ key: SourceKey) -> Set<SourceWindow.Ticket> {
        let taken = waiting.filter { $0.key == key }
        waiting.removeAll { $0.key == key }
        loads += taken.map(\.key)
        return Set(taken.map(\.ticket))
    }

    /// The first of the loads that may enter: the most urgent of each host, then the one whose host has the fewest inside.
    func next() -> Load? {
        let firsts = Set(waiting.map(\.key.host)).compactMap { host in
            waiting.filter { $0.key.host == host }
                .min { $0.urgency == $1.urgency ? $0.ticket < $1.ticket : $0.urgency > $1.urgency }
        }
        return firsts.filter { hasRoom($0.key, $0.urgency.priority) }
            .min { one, other in
                let (left, right) = (one.urgency.priority, other.urgency.priority)
                if left != right { return left > right }
                let (few, many) = (count(at: one.key.host), count(at: other.key.host))
                return few == many ? one.ticket < other.ticket : few < many
            }
    }

    mutating func settle() -> Set<SourceWindow.Ticket> {
        var admitted: Set<SourceWindow.Ticket> = []
        while let next = next() {
            atHost.insert(next.key)
            inTotal.insert(next.key)
            admitted.formUnion(takeWaiters(next.key))
        }
        return admitted
    }

    mutating func step(_ random: inout SplitMix64) throws {
        guard let key = keys.randomElement(using: &random), let host = key.host else { return }
        let deadline = Bool.random(using: &random) ? nil : ContinuousClock.now
        let urgency = Urgency(
            WorkPriority.allCases.randomElement(using: &random) ?? .normal,
            deadline: deadline
        )
        switch Int.random(in: 0..<9, using: &random) {
        case 0..<3: enter(key, host, urgency)
        case 3:
            guard let load = waiting.randomElement(using: &random) else { return }
            waiting.removeAll { $0.ticket == load.ticket }
            #expect(window.cancel(load.ticket, for: load.key).map(Set.init) == settle())
            #expect(window.cancel(load.ticket, for: load.key) == nil)
        case 4:
            guard let index = waiting.indices.randomElement(using: &random) else { return }
            waiting[index].urgency = urgency
            let load = waiting[index]
            #expect(Set(window.change(load.ticket, for: load.key, to: urgency)) == settle())
        case 5:
            downloads.append(key)
            #expect(Set(window.begin(key, at: host)) == takeWaiters(key))
        case 6:
            guard let index = downloads.indices.randomElement(using: &random) else { return }
            let key = downloads.remove(at: index)
            atHost.remove(key)
            #expect(Set(window.end(key)) == settle())
        case 7:
            guard let key = downloads.randomElement(using: &random) else { return }
            atHost.remove(key)
            inTotal.remove(key)
            #expect(Set(window.release(key)) == settle())
        default:
            guard let index = loads.indices.randomElement(using: &random) else { return }
            leave(index)
        }
        let counts = Dictionary(grouping: Set(waiting.map(\.key)), by: \.host).mapValues(\.count)
        #expect(window.waiting.values.sorted() == counts.values.sorted())
    }

    private mutating func enter(_ key: SourceKey, _ host: WebURL.Origin, _ urgency: Urgency) {
        let admitted = window.enter(key, at: host, urgency.priority)
        if isInside(key) || hasRoom(key, urgency.priority) {
            if !isInside(key) {
                atHost.insert(key)
                inTotal.insert(key)
            }
            loads.append(key)
            #expect(admitted.map(Set.init) == takeWaiters(key))
        } else {
            #expect(admitted == nil)
            last += 1
            waiting.append(Load(ticket: last, key: key, urgency: urgency))
            #expect(window.wait(last, for: key, at: host, urgency) == [])
        }
    }

    private mutating func leave(_ index: Int) {
        let key = loads.remove(at: index)
        if !loads.contains(key) {
            atHost.remove(key)
            inTotal.remove(key)
        }
        #expect(Set(window.leave(key)) == settle())
    }

    /// Ends everything, and expects that nothing is left.
    mutating func end() throws {
        while let key = downloads.popLast() {
            atHost.remove(key)
            #expect(Set(window.end(key)) == settle())
        }
        while !loads.isEmpty { leave(loads.count - 1) }
        #expect(waiting.isEmpty)
        #expect(window.isEmpty)
    }
}
