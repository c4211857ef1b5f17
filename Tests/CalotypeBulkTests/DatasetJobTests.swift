import Calotype
import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeBulk

/// Datasets over the real pipeline and a scripted origin.
@Suite(.timeLimit(.minutes(1)))
struct DatasetJobTests {
    @Test func `a shard has its samples in the order of the list, and the same bytes each time`() async throws
    {
        var tars: [[UInt8]] = []
        for _ in 0..<2 {
            let trial = try Trial(7)
            let summary = try await trial.run()
            #expect(summary.ending == .finished && summary.succeeded == 7 && summary.exitCode == 0)
            #expect(
                try trial.folder.outputNames() == [
                    ".calotype", "00000.idx", "00000.jsonl", "00000.parquet", "00000.tar", "00000_stats.json",
                    "00001.idx", "00001.jsonl", "00001.parquet", "00001.tar", "00001_stats.json",
                ]
            )
            tars.append(try trial.bytes("00001.tar"))
            let lines = try trial.folder.text("\(trial.folder.output)/00001.jsonl").split(separator: "\n")
            #expect(lines.count == 2 && lines[0].contains("\"key\":\"000010\",\"status\":\"success\""))
        }
        #expect(tars[0] == tars[1])
        #expect(TarMember.parse(Array(tars[0][..<512]))?.name == "000010.jpg")
    }

    @Test func `a second run loads nothing and changes nothing`() async throws {
        let trial = try Trial(7)
        _ = try await trial.run()
        let before = try trial.bytes("00000_stats.json")
        let summary = try await trial.run()
        #expect(summary.skipped == 7 && summary.succeeded == 0 && trial.origin.statistics.requests == 7)
        #expect(try trial.bytes("00000_stats.json") == before)
    }

    @Test func `an interrupted run is continued with the samples that are missing`() async throws {
        let trial = try Trial(7, perShard: 4)
        try trial.origin.answer("http://a.test/5", with: .never, .bytes(Self.picture))
        let running = Task { try await trial.run() }
        _ = try await trial.origin.waitForRequests(7)
        // All have ended but one.
        while trial.names("_stats.json").isEmpty || trial.journaled("00001") < 2 { try await Self.pause() }
        running.cancel()
        #expect(try await running.value.ending == .interrupted)
        #expect(trial.names("tar") == ["00000.tar"])
        let summary = try await trial.run()
        #expect(summary.ending == .finished && summary.skipped == 6 && summary.succeeded == 1)
        #expect(trial.origin.statistics.requests == 8)
        #expect(trial.names("tar") == ["00000.tar", "00001.tar"])
        #expect(try DatasetInspection(path: trial.folder.output).verify().problems == [])
    }

    @Test func `another list is refused, whether its shard is complete or not`() async throws {
        let trial = try Trial(7)
        _ = try await trial.run()
        _ = try trial.write(urls: (0..<7).map { $0 == 2 ? "http://a.test/other" : "http://a.test/\($0)" })
        let summary = try await trial.run()
        let reason = try #require(summary.ending.reason)
        #expect(summary.exitCode == 2)
        #expect(reason.contains("the list differs from the one that shard 00000 was made from"))
        #expect(trial.origin.statistics.requests == 7)
    }

    @Test(arguments: [4, 5, 6, 8])
    func `a list that became shorter or longer is refused, unless it ended with a shard`(
        _ count: Int
    ) async throws {
        let trial = try Trial(6, perShard: 3)
        try trial.origin.answer("http://a.test/4", with: .never)
        let running = Task { try await trial.run() }
        _ = try await trial.origin.waitForRequests(6)
        while trial.names("_stats.json").isEmpty || trial.journaled("00001") < 2 { try await Self.pause() }
        running.cancel()
        _ = try await running.value
        try trial.origin.answer("http://a.test/4", with: .bytes(Self.picture))
        _ = try trial.write(urls: (0..<count).map { "http://a.test/\($0)" })
        let summary = try await trial.run()
        #expect(summary.exitCode == (count < 6 ? 2 : 0))
        #expect(trial.names("tar").count == (count < 6 ? 1 : (count + 2) / 3))
    }

    @Test func `a sample that takes long does not hold the others up`() async throws {
        let trial = try Trial(40, perShard: 2)
        try trial.origin.answer("http://a.test/0", with: .never, .bytes(Self.picture))
        let running = Task { try await trial.run { $0.window = 4 } }
        _ = try await trial.origin.waitForRequests(40)
        while trial.names("tar").count < 19 { try await Self.pause() }
        running.cancel()
        _ = try await running.value
        #expect(!trial.names("tar").contains("00000.tar"))
        let summary = try await trial.run()
        #expect(summary.skipped == 39 && summary.succeeded == 1)
        #expect(try DatasetInspection(path: trial.folder.output).verify().problems == [])
    }

    @Test func `a picture that a filter refuses by its header is not received`() async throws {
        let trial = try Trial(1)
        let long = Self.picture + [UInt8](repeating: 0, count: 1 << 20)
        try trial.origin.answer("http://a.test/0", with: .bytes(long))
        let summary = try await trial.run { $0.limits.sizes.minSide = 49 }
        #expect(summary.failures == [.filteredSize: 1] && trial.origin.statistics.cutOff == 1)
        let line = try trial.folder.text("\(trial.folder.output)/00000.jsonl")
        #expect(line.contains("failed_to_resize") && line.contains("\"original_width\":64"))
    }

    @Test func `other options are refused by name`() async throws {
        let trial = try Trial(3)
        _ = try await trial.run()
        await #expect {
            try await trial.run { $0.samplesPerShard = 6 }
        } throws: {
            "\($0)".contains("then --number-sample-per-shard 5, now --number-sample-per-shard 6")
        }
    }

    @Test func `failures are in the metadata alone, with a code`() async throws {
        let trial = try Trial(4)
        try trial.origin.answer("http://a.test/1", with: .status(404))
        try trial.origin.answer("http://a.test/2", with: .bytes(Array("no picture at all".utf8)))
        let summary = try await trial.run { $0.limits.sizes.minSide = 8 }
        #expect(summary.succeeded == 2 && summary.failed == 2)
        let lines = try trial.folder.text("\(trial.folder.output)/00000.jsonl").split(separator: "\n")
        #expect(lines[1].contains("failed_to_download") && lines[1].contains("\"error_code\":\"http_404\""))
        #expect(lines[2].contains("failed_to_resize") && lines[2].contains("unsupported_format"))
        let findings = try DatasetInspection(path: trial.folder.output).verify()
        #expect(findings.problems == [] && findings.samples == 4 && findings.pictures == 2)
    }

    @Test func `failures are retried into new shards, and not twice`() async throws {
        let trial = try Trial(6)
        try trial.origin.answer("http://a.test/1", with: .status(404), .bytes(Self.picture))
        try trial.origin.answer("http://a.test/3", with: .status(404), .status(404), .status(404))
        try trial.origin.answer("http://a.test/4", with: .status(410))
        _ = try await trial.run()
        let first = try await trial.run { $0.retriedCodes = ["http_404"] }
        #expect(first.succeeded == 1 && first.failed == 1)
        let lines = try trial.folder.text("\(trial.folder.output)/00002.jsonl").split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("\"key\":\"000020\""))
        let second = try await trial.run { $0.retriedCodes = ["http_404"] }
        #expect(second.succeeded == 0 && second.failed == 1)
        #expect(trial.origin.statistics.requests == 9)
    }

    @Test func `a picture that a filter refuses is not decoded`() async throws {
        let trial = try Trial(1)
        let summary = try await trial.run { $0.limits.sizes.maxAspectRatio = 1.2 }
        #expect(summary.failures == [.filteredSize: 1])
    }

    @Test(arguments: DatasetOptions.Format.allCases)
    func `each format passes its own verification`(_ format: DatasetOptions.Format) async throws {
        let trial = try Trial(7)
        _ = try await trial.run { $0.format = format }
        let inspection = try DatasetInspection(path: trial.folder.output)
        #expect(inspection.verify().problems == [])
        let statistics = try DatasetStatistics(of: inspection)
        #expect(statistics.total.successes == 7 && statistics.shards == 2)
    }

    @Test func `a changed byte is found`() async throws {
        let trial = try Trial(3)
        _ = try await trial.run()
        var tar = try trial.bytes("00000.tar")
        tar[700] ^= 1
        let path = "\(trial.folder.output)/00000.tar"
        try AtomicFile.write(tar, to: path)
        let problems = try DatasetInspection(path: trial.folder.output).verify().problems
        #expect(problems == ["00000.tar has changed: its SHA-256 is not the recorded one"])
    }

    /// Lets others work; ends a wait when the time of the test is over.
    private static func pause() async throws {
        try Task.checkCancellation()
        await Task.yield()
    }

    static let picture = TinyPicture.jpeg(PixelSize(width: 64, height: 48))

    /// A folder, a list of numbered URLs and an origin.
    private final class Trial: Sendable {
        let folder: Folder
        let origin: ScriptedTransport
        private let perShard: Int

        init(_ count: Int, perShard: Int = 5) throws {
            folder = try Folder()
            self.perShard = perShard
            origin = ScriptedTransport(clock: ManualClock(), otherwise: .bytes(DatasetJobTests.picture))
            _ = try write(urls: (0..<count).map { "http://a.test/\($0)" })
        }

        func write(urls: [String]) throws -> String {
            try folder.write(Array(urls.joined(separator: "\n").utf8), to: "list.txt")
        }

        func run(_ change: (inout DatasetOptions) -> Void = { _ in }) async throws -> RunSummary {
            var configuration = PipelineConfiguration()
            configuration.exchange = origin
            configuration.retries = 0
            var options = DatasetOptions(input: folder.path + "/list.txt", output: folder.output)
            options.samplesPerShard = perShard
            change(&options)
            return try await withImagePipeline(configuration) { [options] pipeline in
                try await DatasetJob(options, pipeline: pipeline).run()
            }
        }

        /// The number of samples in the journal of a shard.
        func journaled(_ shard: String) -> Int {
            guard let work = try? OpenFile(folder.output + "/.calotype", O_RDONLY | O_DIRECTORY),
                FolderNames.all(in: folder.output + "/.calotype").contains("\(shard).journal"),
                let journal = try? ShardJournal("\(shard).journal", in: JournalFiles(work))
            else { return 0 }
            return (try? journal.entries().count) ?? 0
        }

        func names(_ ending: String) -> [String] {
            FolderNames.all(in: folder.output).filter { $0.hasSuffix(ending) }.sorted()
        }

        func bytes(_ name: String) throws -> [UInt8] {
            let file = try OpenFile("\(folder.output)/\(name)", O_RDONLY)
            return try file.read(Int(file.status().st_size))
        }
    }
}
