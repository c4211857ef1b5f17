import Calotype
import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeBulk

/// Planned datasets and their workers, over the real pipeline and a scripted origin.
@Suite(.timeLimit(.minutes(1)))
struct DatasetWorkerTests {
    private static let picture = TinyPicture.jpeg(PixelSize(width: 64, height: 48))

    @Test func `a worker makes the same shards as a run on one machine`() async throws {
        let trial = try Trial(7)
        try await trial.plan()
        try await trial.work { desk in
            try desk.send(#"{"op":"lease","seconds":600,"unknown":[1]}"#)
            try desk.send(#"{"op":"nothing"}"#)
            try desk.send(#"{"op":"shard","id":"00001"}"#)
            try desk.send(#"{"op":"shard","id":"00000"}"#)
            try desk.send(#"{"op":"drain"}"#)
            let reports = try await desk.reports(until: "bye")
            #expect(
                reports[0].contains(#""event":"hello""#) && reports[0].contains(#""shards":2,"samples":7"#)
            )
            let done = reports.filter { $0.contains("done") }.sorted()
            #expect(done == [#"{"event":"done","id":"00000"}"#, #"{"event":"done","id":"00001"}"#])
        }
        let single = try Trial(7)
        try await single.run()
        for name in ["00000.tar", "00001.tar", "00001.jsonl", "00001.idx"] {
            #expect(try trial.bytes(name) == single.bytes(name), "\(name)")
        }
        #expect(try DatasetInspection(path: trial.output).verify().problems == [])
        #expect(trial.unfinished == ["00000.commit", "00001.commit", "locks", "plan", "settings"])
    }

    @Test func `without a lease a shard is refused, and a shard that the plan lacks is refused for good`()
        async throws
    {
        let trial = try Trial(3)
        try await trial.plan()
        try await trial.work { desk in
            try desk.send(#"{"op":"shard","id":"00000"}"#)
            let early = try await desk.reports(until: "fail")
            #expect(early.last?.contains(#""retryable":true"#) == true)
            try desk.send(#"{"op":"lease","seconds":600}"#)
            try desk.send(#"{"op":"shard","id":"00001"}"#)
            let wrong = try await desk.reports(until: "fail")
            #expect(wrong.last?.contains(#""retryable":false"#) == true)
            try desk.send("no JSON")
            _ = try await desk.reports(until: "problem")
        }
        #expect(trial.origin.statistics.requests == 0)
    }

    @Test func `the end of the orders ends a worker, which completes nothing and leaves nothing`()
        async throws
    {
        let trial = try Trial(3)
        try await trial.plan()
        try trial.origin.answer("http://a.test/1", with: .never)
        try await trial.work { desk in
            try desk.send(#"{"op":"lease","seconds":600}"#)
            try desk.send(#"{"op":"shard","id":"00000"}"#)
            _ = try await trial.origin.waitForRequests(3)
        }
        #expect(trial.unfinished == ["locks", "plan", "settings"])
        #expect(FolderNames.all(in: trial.output) == [".calotype"])
    }

    @Test func `a lease that ends stops the shards, and the next one makes them`() async throws {
        let trial = try Trial(3)
        try await trial.plan()
        try trial.origin.answer("http://a.test/1", with: .never, .bytes(Self.picture))
        try await trial.work { desk in
            try desk.send(#"{"op":"lease","seconds":10}"#)
            try desk.send(#"{"op":"shard","id":"00000"}"#)
            _ = try await trial.origin.waitForRequests(3)
            trial.clock.advance(by: .seconds(11))
            let lost = try await desk.reports(until: "fail")
            #expect(lost.last?.contains(#""id":"00000","#) == true)
            #expect(trial.unfinished == ["locks", "plan", "settings"])
            try desk.send(#"{"op":"lease","seconds":10}"#)
            try desk.send(#"{"op":"shard","id":"00000"}"#)
            _ = try await desk.reports(until: "done")
        }
        #expect(try DatasetInspection(path: trial.output).verify().problems == [])
        #expect(trial.unfinished == ["00000.commit", "locks", "plan", "settings"])
    }

    @Test func `journals are in the scratch folder, without those of killed workers`() async throws {
        let trial = try Trial(3)
        try await trial.plan()
        try trial.origin.answer("http://a.test/1", with: .never, .bytes(Self.picture))
        let scratch = trial.folder.path + "/scratch"
        let (killed, alive) = (scratch + "/calotype-worker-1-1", scratch + "/calotype-worker-1-2")
        for folder in [killed, alive] {
            try OutputFolder.createFolders(folder)
            _ = try OpenFile(folder + "/lock", O_RDWR | O_CREAT)
            _ = try OpenFile(folder + "/1-a.00000.journal", O_RDWR | O_CREAT)
        }
        let lock = try OpenFile(alive + "/lock", O_RDWR)
        #expect(try lock.lock())
        try await trial.work(scratch: scratch) { desk in
            try desk.send(#"{"op":"lease","seconds":600}"#)
            try desk.send(#"{"op":"shard","id":"00000"}"#)
            _ = try await trial.origin.waitForRequests(3)
            let own = FolderNames.all(in: scratch).filter { !$0.hasPrefix("calotype-worker-1-") }
            #expect(own.count == 1 && FolderNames.all(in: scratch).contains("calotype-worker-1-2"))
            let mine = try #require(own.first)
            #expect(FolderNames.all(in: "\(scratch)/\(mine)").count == 2)
            #expect(trial.unfinished == ["locks", "plan", "settings"])
        }
        #expect(FolderNames.all(in: scratch) == ["calotype-worker-1-2"])
        #expect(FolderNames.all(in: alive).count == 2)
        withExtendedLifetime(lock) {}
    }

    @Test func `of two workers with the same shard one completes it, and both report it`() async throws {
        let trial = try Trial(3)
        try await trial.plan()
        try await trial.work { first in
            try await trial.work { second in
                for desk in [first, second] {
                    try desk.send(#"{"op":"lease","seconds":600}"#)
                    try desk.send(#"{"op":"shard","id":"00000"}"#)
                }
                _ = try await first.reports(until: "done")
                _ = try await second.reports(until: "done")
            }
        }
        #expect(try DatasetInspection(path: trial.output).verify().problems == [])
        #expect(trial.unfinished == ["00000.commit", "locks", "plan", "settings"])
    }

    @Test func `a cancelled shard is not completed, and others are`() async throws {
        let trial = try Trial(7)
        try await trial.plan()
        try trial.origin.answer("http://a.test/1", with: .never)
        try await trial.work { desk in
            try desk.send(#"{"op":"lease","seconds":600}"#)
            try desk.send(#"{"op":"shard","id":"00000"}"#)
            _ = try await trial.origin.waitForRequests(5)
            try desk.send(#"{"op":"cancel","id":"00000"}"#)
            try desk.send(#"{"op":"shard","id":"00001"}"#)
            _ = try await desk.reports(until: "done")
        }
        #expect(trial.unfinished == ["00001.commit", "locks", "plan", "settings"])
    }

    @Test func `a plan never changes, and other options are refused`() async throws {
        let trial = try Trial(3)
        try await trial.plan()
        await #expect(throws: BulkError.self) { try await trial.plan() }
        let plan = try DatasetPlan(path: trial.output)
        #expect(
            plan
                == DatasetPlan(
                    samples: 3,
                    samplesPerShard: 5,
                    tailShards: 0,
                    words: ["--image-size=64", "--no-exif"]
                )
        )
        #expect(plan.shards == 1)
    }

    @Test func `an entry has the same columns after it was planned`() throws {
        let item = ListItem(
            index: 7,
            url: "http://a.test/\"ü\"",
            invalidReason: .init(code: .invalidURL, message: "line 7"),
            fields: [.null, .text("a\nb"), .json("{\"c\":\n1}")]
        )
        #expect(!item.planLine.contains("\n"))
        #expect(try ListItem(planLine: Array(item.planLine.utf8), index: 7, fields: 3) == item)
    }

    @Test func `what large hosts have too much of is in shards at the end`() async throws {
        // Twelve entries of a large host among eleven of others.
        let urls = (0..<23).map { "http://\($0 % 2 == 0 ? "large" : "small\($0)").test/\($0)" }
        let trial = try Trial(urls)
        // What an interrupted attempt has left.
        try OutputFolder.createFolders("\(trial.output)/.calotype/plan")
        for name in ["tail-7.jsonl", "00007.jsonl"] {
            try AtomicFile.write([1], to: "\(trial.output)/.calotype/plan/\(name)")
        }
        let plan = try await trial.plan(tailAfter: 4)
        #expect(plan.samples == 23 && plan.shards == 5 && plan.tailShards == 2)
        let read = try DatasetPlan(path: trial.output)
        #expect(read == plan)
        let shards = try (0..<5).map { try trial.lines(".calotype/plan/0000\($0).jsonl") }
        #expect(shards.map(\.count) == [5, 5, 5, 5, 3])
        #expect(shards[..<3].joined().count { $0.contains("large") } == 4)
        #expect(shards[3].allSatisfy { $0.contains("large") })
        #expect(Set(shards.joined()).count == 23)
        #expect(try trial.lines(".calotype/plan/order").suffix(2).sorted() == ["00003", "00004"])
        #expect(trial.unfinished.contains("plan"))
        let names = FolderNames.all(in: "\(trial.output)/.calotype/plan")
        #expect(names.count == 7, "\(names)")
        try await trial.work { desk in
            try desk.send(#"{"op":"lease","seconds":600}"#)
            for shard in [3, 0, 4, 2, 1] { try desk.send(#"{"op":"shard","id":"0000\#(shard)"}"#) }
            try desk.send(#"{"op":"drain"}"#)
            _ = try await desk.reports(until: "bye")
        }
        let problems = try DatasetInspection(path: trial.output).verify().problems
        #expect(problems == [])
        let made = try (0..<5).flatMap { try trial.lines("0000\($0).jsonl") }
        for url in urls { #expect(made.count { $0.contains("\"\(url)\"") } == 1, "\(url)") }
    }

    @Test func `a list without large hosts has no tail`() async throws {
        let trial = try Trial((0..<12).map { "http://\($0 % 3).test/\($0)" })
        let plan = try await trial.plan(tailAfter: 4)
        #expect(plan.tailShards == 0 && plan.shards == 3)
    }

    @Test func `entries of hosts are counted`() {
        var counts = HostCounts()
        for number in 1...1000 {
            let count = counts.add("a")
            let other = counts.add("host\(number)")
            #expect(count == number && other == 1)
        }
    }

    @Test func `shards of one host are handed out far from each other`() {
        var order = HandOutOrder()
        for host in ["a", "a", "a", "b", "b", "b"] {
            for _ in 0..<10 { order.add(host) }
            order.endShard()
        }
        #expect(order.shards == [0, 3, 1, 4, 2, 5])
    }

    @Test func `a host receives no more than its share`() {
        var queue = EntryQueue(limit: 100, perHost: 4, inOrder: false, pace: PacePolicy())
        var shares = HostShares()
        shares.common.connections = 0
        queue.share(shares, at: .zero)
        for index in 0..<8 { queue.add(ListItem(index: index, url: "http://a/\(index)")) }
        var begun = queue.next()
        #expect(begun == nil)
        shares.hosts["a"] = HostShare(requestsPerSecond: 2, connections: 2)
        queue.share(shares, at: .zero)
        begun = queue.next()
        #expect(begun?.index == 0)
        begun = queue.next()
        #expect(begun == nil && queue.alarm == .milliseconds(500))
        begun = queue.next(at: .milliseconds(500))
        #expect(begun?.index == 1)
        begun = queue.next(at: .seconds(9))
        #expect(begun == nil)
        #expect(queue.demand(limit: 5) == [HostDemand(host: "a", waiting: 6, begun: 2)])
        queue.block("a", until: .seconds(20))
        queue.end(ListItem(index: 0, url: "http://a/0"), .answered, at: .seconds(9))
        begun = queue.next(at: .seconds(9))
        #expect(begun == nil && queue.alarm == .seconds(20))
    }

    /// A folder, a list of numbered URLs and an origin.
    private final class Trial: Sendable {
        let folder: Folder
        let origin: ScriptedTransport
        let clock = ManualClock()

        convenience init(_ count: Int) throws {
            try self.init((0..<count).map { "http://a.test/\($0)" })
        }

        init(_ urls: [String]) throws {
            folder = try Folder()
            origin = ScriptedTransport(clock: ManualClock(), otherwise: .bytes(DatasetWorkerTests.picture))
            _ = try folder.write(Array(urls.joined(separator: "\n").utf8), to: "list.txt")
        }

        var output: String { folder.output }

        private var options: DatasetOptions {
            var options = DatasetOptions(input: folder.path + "/list.txt", output: output)
            options.samplesPerShard = 5
            return options
        }

        private func withPipeline(
            _ body: @escaping @Sendable (ImagePipeline) async throws -> Void
        ) async throws {
            var configuration = PipelineConfiguration()
            configuration.exchange = origin
            configuration.retries = 0
            try await withImagePipeline(configuration) { try await body($0) }
        }

        @discardableResult
        func plan(tailAfter: Int = 50_000) async throws -> DatasetPlan {
            let words = ["--image-size=64", "--no-exif"]
            return try await DatasetPlanning(options, words: words, tailAfter: tailAfter).run()
        }

        func run() async throws {
            try await withPipeline { _ = try await DatasetJob(self.options, pipeline: $0).run() }
        }

        /// Runs a worker until `body` returns, which ends its orders.
        func work(scratch: String? = nil, _ body: (Desk) async throws -> Void) async throws {
            try await withThreadExecutor(name: "calotype-test", threads: 1) { executor in
                let desk = try Desk(executor)
                let plan = try DatasetPlan(path: output)
                async let working: Void = withPipeline { pipeline in
                    let worker = DatasetWorker(
                        self.options,
                        plan,
                        pipeline: pipeline,
                        scratch: scratch,
                        version: "1",
                        clock: self.clock
                    )
                    try await worker.run(from: desk.workerInput, to: desk.workerOutput)
                }
                do {
                    try await body(desk)
                } catch {
                    desk.close()
                    throw error
                }
                desk.close()
                try await working
            }
        }

        /// What is in the folder for unfinished work.
        var unfinished: [String] { FolderNames.all(in: "\(output)/.calotype").sorted() }

        func lines(_ name: String) throws -> [String] {
            String(decoding: try bytes(name), as: UTF8.self).split(separator: "\n").map(String.init)
        }

        func bytes(_ name: String) throws -> [UInt8] {
            let file = try OpenFile("\(output)/\(name)", O_RDONLY)
            return try file.read(Int(file.status().st_size))
        }
    }

    /// The other ends of a worker's pipes.
    private final class Desk: Sendable {
        private let orders: Guarded<OpenFile?>
        private let input: OpenFile
        private let output: OpenFile
        private let reader: InputFile
        private let lines = Guarded<(splitter: LineSplitter, ready: [String])>(
            (LineSplitter(limit: 1 << 20), [])
        )

        init(_ executor: ThreadExecutor) throws {
            let (orderEnds, reportEnds) = (try Self.pipe(), try Self.pipe())
            input = orderEnds.reading
            orders = Guarded(orderEnds.writing)
            output = reportEnds.writing
            reader = try InputFile(reportEnds.reading, executor: executor)
        }

        var workerInput: Int32 { input.descriptor }
        var workerOutput: Int32 { output.descriptor }

        func send(_ order: String) throws { try orders.withLock { $0 }?.write(Array((order + "\n").utf8)) }

        /// Ends the orders.
        func close() { orders.withLock { $0 = nil } }

        /// Returns the reports up to the first of this kind, without those that arrive each second.
        func reports(until event: String) async throws -> [String] {
            var reports: [String] = []
            while true {
                let ready = lines.withLock { lines in
                    defer { lines.ready = [] }
                    return lines.ready
                }
                for (index, line) in ready.enumerated() {
                    if !line.contains("heartbeat"), !line.contains("progress") { reports.append(line) }
                    guard line.contains("\"event\":\"\(event)\"") else { continue }
                    lines.withLock { $0.ready = Array(ready[(index + 1)...]) + $0.ready }
                    return reports
                }
                let chunk = try await reader.read()
                lines.withLock { lines in
                    for line in lines.splitter.split(chunk) {
                        lines.ready.append(String(decoding: line.bytes, as: UTF8.self))
                    }
                }
            }
        }

        private static func pipe() throws -> (reading: OpenFile, writing: OpenFile) {
            var ends: [Int32] = [-1, -1]
            guard unsafe CalotypePlatform.pipe(&ends) == 0 else { throw SystemError("make a pipe") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return (OpenFile(descriptor: ends[0]), OpenFile(descriptor: ends[1]))
        }
    }
}
