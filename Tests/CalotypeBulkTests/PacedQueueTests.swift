import Testing

@testable import CalotypeBulk

struct PacedQueueTests {
    /// Plays a list against hosts that answer by a script, on a clock that goes where the queue wants it.
    private struct Play {
        var queue: EntryQueue
        var now = Duration.zero
        var begun: [(index: Int, time: Duration)] = []
        var condemned: [Int] = []
        var ended = 0

        init(_ urls: [String], perHost: Int = 4, limit: Int = 1000, _ policy: PacePolicy) {
            queue = EntryQueue(limit: limit, perHost: perHost, inOrder: false, pace: policy, random: { $0 })
            for (index, url) in urls.enumerated() { queue.add(ListItem(index: index, url: url)) }
        }

        /// Runs to the end; `answer` says what the host has against an entry at a time.
        mutating func run(_ answer: (ListItem, Duration) -> HostTrouble?) {
            while true {
                var wave: [ListItem] = []
                while let item = queue.next(at: now, isComplete: true) {
                    begun.append((item.index, now))
                    wave.append(item)
                }
                if wave.isEmpty {
                    guard let alarm = queue.alarm else { return }
                    now = alarm
                }
                for item in wave { end(item, answer) }
            }
        }

        private mutating func end(_ item: ListItem, _ answer: (ListItem, Duration) -> HostTrouble?) {
            if item.invalidReason != nil {
                condemned.append(item.index)
                queue.end(item, .none, at: now)
            } else if let trouble = answer(item, now) {
                if queue.putBack(item, trouble, at: now) { return }
                queue.end(item, trouble.isSilence ? .silent : .answered, at: now)
            } else {
                queue.end(item, .answered, at: now)
            }
            ended += 1
        }
    }

    @Test func `a rate spaces the requests of a host, and others are not delayed`() {
        var policy = PacePolicy()
        policy.requestsPerSecond = 4
        var play = Play(["http://a/1", "http://a/2", "http://b/1", "http://a/3"], policy)
        play.run { _, _ in nil }
        #expect(play.begun.map(\.index) == [0, 2, 1, 3])
        #expect(play.begun.map(\.time) == [.zero, .zero, .milliseconds(250), .milliseconds(500)])
    }

    @Test func `a host that responds with 429 receives nothing until the time it gave`() {
        var play = Play(["http://a/1", "http://a/2"], PacePolicy())
        play.run { _, now in now < .seconds(30) ? .limited(retryAfter: .seconds(30)) : nil }
        #expect(play.begun.map(\.time).dropFirst(2).allSatisfy { $0 >= .seconds(30) })
        #expect(play.ended == 2 && play.condemned.isEmpty)
    }

    @Test(arguments: [1, 20, 100])
    func `10,000 entries of a host that admits a few a second all end, and it never refuses many in a minute`(
        _ rate: Int
    ) {
        var play = Play((0..<10_000).map { "http://a/\($0)" }, perHost: 16, limit: 10_000, PacePolicy())
        var (second, admitted) = (-1, 0)
        var refused: [Duration] = []
        play.run { _, now in
            let this = Int(now.components.seconds)
            if this != second { (second, admitted) = (this, 0) }
            admitted += 1
            guard admitted > rate else { return nil }
            refused.append(now)
            return .limited(retryAfter: nil)
        }
        #expect(play.ended == 10_000 && play.condemned.isEmpty)
        #expect(play.now < .seconds(17_000 / rate))
        let inMinute = refused.map { time in refused.count { $0 >= time && $0 < time + .seconds(60) } }
        #expect(refused.count < 120 && inMinute.max() ?? 0 <= 60)
    }

    @Test(arguments: [(4, 64, 8), (1, 64, 1), (1000, 64, 64), (1000, 6, 6)])
    func `a probed host receives as many requests at a time as it takes without becoming slow`(
        _ capacity: Int,
        _ perHost: Int,
        _ found: Int
    ) {
        var policy = PacePolicy()
        policy.probes = true
        var pace = HostPace(policy, limit: perHost)
        #expect(pace.limit == 1)
        for count in 0..<1000 {
            // A busy host takes longer for each.
            let load = max(1, Double(pace.limit) / Double(capacity))
            pace.measure(.milliseconds(50) * load * (capacity == 1 && pace.limit > 1 ? 2 : 1))
            pace.succeed()
            if count == 1 { #expect(pace.limit == 1) }
        }
        #expect(pace.limit == found)
    }

    @Test func `a refusal ends the probe with half of what was too much`() {
        var policy = PacePolicy()
        policy.probes = true
        var pace = HostPace(policy, limit: 64)
        while pace.limit < 16 { pace.measure(.milliseconds(10)) }
        pace.refuse(.limited(retryAfter: nil), since: pace.mark, at: .zero) { $0 }
        for _ in 0..<1000 {
            pace.measure(.milliseconds(10))
            pace.succeed()
        }
        #expect(pace.limit == 8)
    }

    @Test func `names with the same address share their limits`() {
        var policy = PacePolicy()
        policy.startsAlone = true
        var queue = EntryQueue(limit: 100, perHost: 2, inOrder: false, pace: policy)
        let urls = (0..<12).map { "http://\(["a", "b", "c"][$0 % 3])/\($0)" }
        for (index, url) in urls.enumerated() { queue.add(ListItem(index: index, url: url)) }
        var (begun, ended, turnedAway, most) = ([ListItem](), Set<Int>(), 0, [String: Int]())
        func address(_ item: ListItem) -> String { item.url.contains("//c") ? "2" : "1" }
        while ended.count < urls.count {
            while let item = queue.next() {
                let isWanted = queue.wantsAddress(of: item)
                if isWanted, !queue.join(item, address(item), at: .zero) {
                    turnedAway += 1
                } else {
                    begun.append(item)
                }
            }
            for number in ["1", "2"] {
                most[number] = max(most[number] ?? 0, begun.count { address($0) == number })
            }
            guard !begun.isEmpty else { break }
            let item = begun.removeFirst()
            queue.end(item, .answered)
            #expect(ended.insert(item.index).inserted)
        }
        #expect(ended.count == 12 && turnedAway == 1 && queue.isEmpty && queue.hostCount == 0)
        #expect(most == ["1": 2, "2": 2])
    }

    @Test func `a refusal of one name stops the others with its address, and a delay counts for all`() {
        var queue = EntryQueue(limit: 100, perHost: 4, inOrder: false, pace: PacePolicy(), random: { $0 })
        for index in 0..<4 { queue.add(ListItem(index: index, url: "http://\(index % 2)/\(index)")) }
        var begun: [ListItem] = []
        while let item = queue.next() {
            begun.append(item)
            let mayContinue = queue.join(item, "1", at: .zero)
            #expect(mayContinue)
        }
        #expect(begun.map(\.index) == [0, 1, 2, 3])
        queue.ask("1", for: .seconds(3))
        let isBack = queue.putBack(begun[1], .limited(retryAfter: .seconds(30)), at: .zero)
        for item in [begun[0], begun[2], begun[3]] { queue.end(item, .none) }
        queue.add(ListItem(index: 4, url: "http://0/4"))
        let early = queue.next(at: .seconds(29))?.index
        #expect(isBack && early == nil && queue.alarm == .seconds(30))
        let (next, more) = (queue.next(at: .seconds(30))?.index, queue.next(at: .seconds(30))?.index)
        #expect(next == 1 && more == nil && queue.alarm == .seconds(33))
    }

    @Test func `a dead host is asked a few times, set aside, and tried once more at the end`() {
        let urls = (0..<1000).map { $0 % 2 == 0 ? "http://dead/\($0)" : "http://good/\($0)" }
        var policy = PacePolicy()
        policy.requestsPerSecond = 10
        var play = Play(urls, policy)
        var asked: [Duration] = []
        play.run { item, now in
            guard item.url.contains("dead") else { return nil }
            asked.append(now)
            return .unreachable
        }
        #expect(play.ended == 1000 && play.condemned.count + asked.count >= 500)
        #expect(asked.count < 12)
        #expect(asked.last.map { $0 > .seconds(49) } == true)
    }

    @Test func `a host that is set aside has its last chance after a time if the list does not end`() {
        var policy = PacePolicy()
        policy.recallsAfter = .seconds(20)
        var queue = EntryQueue(limit: 100, perHost: 1, inOrder: false, pace: policy, random: { $0 })
        for index in 0..<5 { queue.add(ListItem(index: index, url: "http://dead/\(index)")) }
        // Another host is never idle.
        queue.add(ListItem(index: 5, url: "http://slow/5"))
        var (now, asked, condemned) = (Duration.zero, [Duration](), 0)
        while condemned < 4 {
            guard let item = queue.next(at: now) else {
                guard let alarm = queue.alarm else { break }
                now = alarm
                continue
            }
            guard item.index != 5 else { continue }
            if item.invalidReason == nil { asked.append(now) } else { condemned += 1 }
            if item.invalidReason != nil || !queue.putBack(item, .unreachable, at: now) {
                queue.end(item, .silent, at: now)
            }
        }
        #expect(condemned >= 4 && asked.count == 3)
        #expect(asked.last.map { $0 >= .seconds(20) && $0 < .seconds(30) } == true)
    }

    @Test func `a host that recovers until the end of the list loses nothing`() {
        let urls = (0..<400).map { $0 % 2 == 0 ? "http://late/\($0)" : "http://good/\($0)" }
        var policy = PacePolicy()
        policy.requestsPerSecond = 2
        var play = Play(urls, policy)
        play.run { item, now in item.url.contains("late") && now < .seconds(60) ? .unreachable : nil }
        #expect(play.ended == 400 && play.condemned.isEmpty)
    }

    @Test func `a host that served before is waited for while it restarts`() {
        var policy = PacePolicy()
        policy.requestsPerSecond = 5
        var play = Play((0..<100).map { "http://a/\($0)" }, policy)
        play.run { _, now in now >= .seconds(5) && now < .seconds(60) ? .unreachable : nil }
        #expect(play.ended == 100 && play.condemned.isEmpty)
    }

    @Test func `entries that are set aside leave room for others, up to a limit`() {
        var queue = EntryQueue(limit: 10, perHost: 1, inOrder: false, pace: PacePolicy(), random: { $0 })
        for index in 0..<10 { queue.add(ListItem(index: index, url: "http://dead/\(index)")) }
        #expect(!queue.hasRoom)
        var now = Duration.zero
        for _ in 0..<4 {
            var item = queue.next(at: now)
            while item == nil, let alarm = queue.alarm {
                now = alarm
                item = queue.next(at: now)
            }
            _ = item.map { queue.putBack($0, .unreachable, at: now) }
        }
        #expect(queue.hasRoom && queue.next(at: now) == nil)
    }

    @Test func `hosts that have not answered take only their share of the places`() {
        let strange = 3
        var queue = EntryQueue(limit: 100, perHost: 4, strangers: strange, inOrder: false, pace: PacePolicy())
        for index in 0..<40 { queue.add(ListItem(index: index, url: "http://\(index % 10)/\(index)")) }
        var begun: [ListItem] = []
        while let item = queue.next() { begun.append(item) }
        #expect(begun.map(\.index) == [0, 1, 2])
        queue.end(begun[0], .answered)
        while let item = queue.next() { begun.append(item) }
        // The host that answered has all its entries, and others take its place.
        #expect(begun.dropFirst(3).map(\.index) == [3, 10, 20, 30])
    }

    @Test(arguments: [HostTrouble.slow, .unresolved])
    func `a host without answers costs two loads and a last one, and its other entries fail like them`(
        _ trouble: HostTrouble
    ) {
        let urls = (0..<200).map { $0 % 2 == 0 ? "http://dead/\($0)" : "http://good/\($0)" }
        var policy = PacePolicy()
        policy.startsAlone = true
        var play = Play(urls, policy)
        var loads = 0
        play.run { item, _ in
            guard item.url.contains("dead") else { return nil }
            loads += 1
            return trouble
        }
        #expect(play.ended == 200 && loads == 3 && play.condemned.count == 97)
    }

    @Test
    func `a host whose bodies stall has four failures before it is set aside, and continues if one arrives`()
    {
        var policy = PacePolicy()
        policy.startsAlone = true
        var dead = Play((0..<100).map { "http://a/\($0)" }, policy)
        dead.run { _, _ in .stalled }
        #expect(dead.ended == 100 && dead.condemned.count == 95)
        var slow = Play((0..<100).map { "http://a/\($0)" }, policy)
        slow.run { item, _ in item.index < 3 ? .stalled : nil }
        #expect(slow.ended == 100 && slow.condemned.isEmpty)
    }

    @Test
    func `a host that is set aside is not tried again while hosts that have not answered wait for a place`() {
        var queue = EntryQueue(
            limit: 100,
            perHost: 1,
            strangers: 1,
            inOrder: false,
            pace: PacePolicy(),
            random: { $0 }
        )
        for index in 0..<3 { queue.add(ListItem(index: index, url: "http://dead/\(index)")) }
        var now = Duration.zero
        for _ in 0..<2 {
            let item = queue.next(at: now)
            #expect(item?.url.contains("dead") == true)
            if let item { _ = queue.putBack(item, .unreachable, at: now) }
            now = queue.alarm ?? now
        }
        now += .seconds(60)
        for index in 3..<5 { queue.add(ListItem(index: index, url: "http://\(index)/"), at: now) }
        for index in 3..<5 {
            let item = queue.next(at: now, isComplete: true)
            #expect(item?.index == index)
            #expect(queue.next(at: now, isComplete: true)?.index == nil)
            if let item { queue.end(item, .answered, at: now) }
        }
        #expect(queue.next(at: now, isComplete: true)?.url.contains("dead") == true)
    }

    @Test func `a timeout of one URL does not count against a host that serves others`() {
        var play = Play((0..<100).map { "http://a/\($0)" }, perHost: 2, PacePolicy())
        var loads = 0
        play.run { item, _ in
            loads += 1
            return item.index % 10 == 5 ? .slow : nil
        }
        #expect(play.ended == 100 && play.condemned.isEmpty && loads == 100)
    }

    @Test func `when too many entries are set aside, the first host has its last chance early`() {
        var queue = EntryQueue(
            limit: 10,
            asideLimit: 20,
            perHost: 1,
            inOrder: false,
            pace: PacePolicy(),
            random: { $0 }
        )
        var (now, read, refused) = (Duration.zero, 0, 0)
        while refused < 3 {
            while queue.hasRoom {
                queue.add(ListItem(index: read, url: "http://dead/\(read)"), at: now)
                read += 1
            }
            guard let item = queue.next(at: now) else {
                guard let alarm = queue.alarm else { break }
                now = alarm
                continue
            }
            #expect(item.invalidReason == nil)
            _ = queue.putBack(item, .unreachable, at: now)
            refused += 1
        }
        #expect(refused == 3 && read >= 30)
        // The rest of the list is not waited for.
        #expect(queue.next(at: now)?.invalidReason != nil)
    }

    @Test func `one URL that always returns 503 fails, while its host serves the others`() {
        var play = Play((0..<100).map { "http://a/\($0)" }, perHost: 2, PacePolicy())
        var tries = 0
        play.run { item, _ in
            guard item.index == 5 else { return nil }
            tries += 1
            return .unavailable(retryAfter: nil)
        }
        #expect(play.ended == 100 && tries <= 7)
    }

    @Test func `the hosts that need longest are known, with their rates`() {
        var policy = PacePolicy()
        policy.requestsPerSecond = 2
        let urls = (0..<40).map { "http://a/\($0)" } + (0..<90).map { "http://b/\($0)" } + ["http://c/"]
        var queue = EntryQueue(limit: 1000, perHost: 1, inOrder: false, pace: policy)
        for (index, url) in urls.enumerated() { queue.add(ListItem(index: index, url: url)) }
        #expect(queue.slowestHosts(3, at: .zero) == [])
        var now = Duration.zero
        for _ in 0..<11 {
            while let item = queue.next(at: now) {
                if item.url == "http://c/" { continue }
                queue.end(item, .answered, at: now)
            }
            now += .milliseconds(500)
        }
        let hosts = queue.slowestHosts(2, at: .seconds(5))
        #expect(hosts.map(\.name) == ["b", "a"] && hosts.map(\.left) == [79, 29])
        #expect(
            hosts.map(\.connections) == [1, 1] && hosts.map(\.imagesPerSecond) == [2.2, 2.2]
                && hosts.allSatisfy { !$0.isSetAside }
        )
        #expect(queue.slowestHosts(3, at: .seconds(5)).last?.name == "c")
    }

    @Test func `places that were not used are given back`() {
        var policy = PacePolicy()
        policy.requestsPerSecond = 0.1
        var queue = EntryQueue(limit: 100, perHost: 4, inOrder: false, pace: policy)
        for index in 0..<50 { queue.add(ListItem(index: index, url: "http://a/\(index)")) }
        var count = 0
        while let item = queue.next(at: .seconds(1)) {
            queue.end(item, .none, at: .seconds(1))
            count += 1
        }
        #expect(count == 50)
    }
}
