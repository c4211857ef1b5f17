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

    @Test(arguments: [3, 4, 5, 6, 8])
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

    @Test func `a list that lacks whole shards is refused, also when all are complete or retried`()
        async throws
    {
        let trial = try Trial(6, perShard: 2)
        try trial.origin.answer("http://a.test/1", with: .status(404))
        _ = try await trial.run()
        _ = try await trial.run { $0.retriedCodes = [] }
        #expect(try await trial.run().skipped == 6)
        _ = try trial.write(urls: (0..<4).map { "http://a.test/\($0)" })
        let summary = try await trial.run()
        let reason = try #require(summary.ending.reason)
        #expect(summary.exitCode == 2 && reason.contains("the list ends before shard 00002"))
    }

    @Test func `what killed attempts have staged is removed, and nothing else`() async throws {
        let trial = try Trial(7)
        _ = try await trial.run()
        let work = trial.folder.output + "/.calotype"
        let before = FolderNames.all(in: work).sorted()
        try OutputFolder.createFolders("\(work)/123-abc.00001")
        let left = [
            "123-abc.00000.tar", ".123-abc.123-abc.00001.commit", "123-abc.00001/1.jpg", "00000.journal",
        ]
        for name in left { try AtomicFile.write([1], to: "\(work)/\(name)") }
        try AtomicFile.write([1], to: "\(work)/123-abc.00007.tar")
        _ = try await trial.run()
        #expect(FolderNames.all(in: work).sorted() == (before + ["123-abc.00007.tar"]).sorted())
        #expect(try DatasetInspection(path: trial.folder.output).verify().problems == [])
    }

    @Test func `staged files of a shard that another run has locked stay`() async throws {
        let trial = try Trial(7)
        _ = try await trial.run()
        let work = trial.folder.output + "/.calotype"
        try AtomicFile.write([1], to: "\(work)/123-abc.00000.tar")
        let other = try DatasetFolder(path: trial.folder.output)
        #expect(try other.lock(0))
        _ = try await trial.run()
        #expect(FolderNames.all(in: work).contains("123-abc.00000.tar"))
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

    @Test func `each URL is a sample once, also for slices and after an interruption`() async throws {
        let trial = try Trial(0, perShard: 2)
        let order = [0, 1, 0, 2, 1, 3, 0, 4, 4, 5]
        _ = try trial.write(urls: order.map { "http://a.test/\($0)" })
        try trial.origin.answer("http://a.test/3", with: .never, .bytes(Self.picture))
        let running = Task { try await trial.run { $0.isUnique = true } }
        _ = try await trial.origin.waitForRequests(6)
        while trial.names("tar").count < 2 { try await Self.pause() }
        running.cancel()
        _ = try await running.value
        for index in 0..<2 {
            let slice = try #require(DatasetOptions.Slice(index: index, of: 2))
            _ = try await trial.run { ($0.isUnique, $0.slice) = (true, slice) }
        }
        let texts = try trial.names("jsonl").map { try trial.folder.text("\(trial.folder.output)/\($0)") }
        let lines = texts.joined().split(separator: "\n")
        #expect(lines.map { $0.contains("\"success\"") } == [Bool](repeating: true, count: 6))
        for (index, line) in lines.enumerated() { #expect(line.contains("http://a.test/\(index)\"")) }
        #expect(trial.origin.statistics.requests == 7)
    }

    @Test(arguments: DatasetOptions.Format.allCases)
    func `several sizes come from one download, the first under the usual name`(
        _ format: DatasetOptions.Format
    ) async throws {
        let trial = try Trial(3)
        try trial.origin.answer("http://a.test/1", with: .status(404))
        let summary = try await trial.run {
            ($0.imageSize, $0.otherSizes, $0.resizeMode, $0.format) = (32, [16, 8], .keepRatio, format)
            $0.hashesPictures = true
        }
        #expect(summary.succeeded == 2 && trial.origin.statistics.requests == 3)
        let lines = try trial.folder.text("\(trial.folder.output)/00000.jsonl").split(separator: "\n")
        #expect(lines[0].contains("\"width\":43,\"height\":32"))
        #expect(
            lines[0].contains("\"width_16\":21,\"height_16\":16,\"width_8\":11,\"height_8\":8,\"phash\":\"")
        )
        #expect(
            lines[1].contains("\"width_8\":null,\"height_8\":null,\"phash\":null,\"near_duplicate_of\":null")
        )
        #expect(lines[2].contains("\"near_duplicate_of\":\"000000\""))
        #expect(try DatasetInspection(path: trial.folder.output).verify().problems == [])
        guard format == .webdataset else { return }
        let tar = try trial.bytes("00000.tar")
        var (offset, names) = (0, [String]())
        while let member = TarMember.parse(Array(tar[offset..<offset + 512])) {
            names.append(member.name)
            let head = Array(tar[offset + 512..<offset + 514])
            #expect(member.name.hasSuffix(".json") || head == [0xFF, 0xD8])
            offset += 512 + (member.bytes + 511) / 512 * 512
        }
        let endings = ["jpg", "16.jpg", "8.jpg", "json"]
        #expect(names == ["000000", "000002"].flatMap { key in endings.map { "\(key).\($0)" } })
    }

    @Test func `boxes are blurred and kept, and a sample with bad ones fails before its request`()
        async throws
    {
        let trial = try Trial(0)
        let rows = ["[[0,0,1,1]]", "null", "[[0.5,0,0.1,1]]"].enumerated().map { index, boxes in
            "{\"url\":\"http://a.test/\(index)\",\"boxes\":\(boxes)}"
        }
        _ = try trial.write(urls: rows)
        let summary = try await trial.run {
            ($0.boxColumn, $0.skipsReencoding, $0.resizeMode) = ("boxes", true, .no)
        }
        #expect(summary.succeeded == 2 && trial.origin.statistics.requests == 2)
        let lines = try trial.folder.text("\(trial.folder.output)/00000.jsonl").split(separator: "\n")
        #expect(lines[0].hasPrefix("{\"boxes\":[[0,0,1,1]],\"url\""))
        #expect(lines[2].contains("\"error_code\":\"invalid_request\""))
        let tar = try trial.bytes("00000.tar")
        let sizes = [0, 1].map { key in
            stride(from: 0, to: tar.count - 512, by: 512)
                .compactMap { TarMember.parse(Array(tar[$0..<$0 + 512])) }.first {
                    $0.name == "00000\(key).jpg"
                }
        }
        #expect(sizes[1]?.bytes == Self.picture.count && sizes[0]?.bytes != Self.picture.count)
    }

    @Test func `options that contradict each other are refused`() async throws {
        let trial = try Trial(1)
        let changes: [(String, (inout DatasetOptions) -> Void)] = [
            (
                "--keep-original would store unchanged",
                { ($0.boxColumn, $0.keepsOriginals) = ("boxes", true) }
            ),
            ("--resize-mode no has one image", { ($0.otherSizes, $0.resizeMode) = ([8], .no) }),
            ("'width_8' cannot be kept", { ($0.otherSizes, $0.keptColumns) = ([8], ["width_8"]) }),
            ("needs a hash", { ($0.hashColumn, $0.hash) = ("sum", .none) }),
        ]
        for (message, change) in changes {
            await #expect {
                try await trial.run(change)
            } throws: {
                "\($0)".contains(message)
            }
        }
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

    @Test func `options that change the pictures or the metadata are recorded`() async throws {
        let trial = try Trial(3)
        _ = try await trial.run()
        let changes: [(String, (inout DatasetOptions) -> Void)] = [
            ("--skip-reencode true", { $0.skipsReencoding = true }),
            ("--like-img2dataset true", { $0.ignoresOrientation = true }),
            ("--no-exif true", { $0.extractsEXIF = false }),
            ("--max-image-area 10.0", { $0.limits.sizes.maxArea = 10 }),
        ]
        for (now, change) in changes {
            await #expect {
                try await trial.run(change)
            } throws: {
                "\($0)".contains("now \(now)")
            }
        }
    }

    @Test func `a setting that was not recorded had its usual value`() async throws {
        let trial = try Trial(3)
        _ = try await trial.run()
        let path = trial.folder.output + "/.calotype/settings"
        let lines = try trial.folder.text(path).split(separator: "\n").filter {
            !$0.hasPrefix("min-image-size")
        }
        try AtomicFile.write(Array(lines.joined(separator: "\n").utf8), to: path)
        #expect(try await trial.run().skipped == 3)
        await #expect {
            try await trial.run { $0.limits.sizes.minSide = 9 }
        } throws: {
            "\($0)".contains("then --min-image-size 0, now --min-image-size 9")
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

    @Test func `a retry of a dataset without failures has nothing to do`() async throws {
        let trial = try Trial(7)
        _ = try await trial.run()
        let summary = try await trial.run { $0.retriedCodes = [] }
        #expect(summary.ending == .finished && summary.exitCode == 0)
        #expect(trial.names("tar").count == 2 && trial.origin.statistics.requests == 7)
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

    @Test func `an entry that a busy host refuses is tried again, and counts once`() async throws {
        let trial = try Trial(6)
        try trial.origin.answer("http://a.test/3", with: .status(429), .status(429), .bytes(Self.picture))
        var manners = HostManners.Options()
        manners.followsRobots = false
        manners.pace.basePause = .milliseconds(1)
        let last = Guarded(FetchProgress())
        let summary = try await trial.run(manners: manners, last: last)
        #expect(summary.succeeded == 6)
        #expect(summary.cancelled == 0)
        #expect(summary.failures == [:])
        #expect(summary.exitCode == 0)
        let progress = last.withLock(\.self)
        #expect(progress.done == 6 && progress.total == 6 && !progress.isTotalEstimated)
    }

    @Test func `metrics are there at the end, and a place that cannot have them is refused`() async throws {
        let trial = try Trial(6)
        try trial.origin.answer("http://a.test/1", with: .status(404))
        let path = "\(trial.folder.path)/calotype.prom"
        _ = try await trial.run { $0.metrics = path }
        let text = try trial.folder.text(path)
        #expect(text.contains("calotype_dataset_images_total{outcome=\"success\"} 5\n"))
        #expect(text.contains("calotype_dataset_failures_total{code=\"http_404\"} 1\n"))
        #expect(text.contains("calotype_dataset_entries 6.0\n"))
        await #expect(throws: BulkError.self) {
            try await trial.run { $0.metrics = "\(trial.folder.path)/none/calotype.prom" }
        }
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

        func run(
            manners: HostManners.Options? = nil,
            last: Guarded<FetchProgress> = Guarded(FetchProgress()),
            _ change: (inout DatasetOptions) -> Void = { _ in }
        ) async throws -> RunSummary {
            var configuration = PipelineConfiguration()
            configuration.exchange = origin
            configuration.retries = 0
            var options = DatasetOptions(input: folder.path + "/list.txt", output: folder.output)
            options.samplesPerShard = perShard
            options.manners = manners.map { HostManners($0, for: configuration) }
            options.manners?.apply(to: &configuration)
            change(&options)
            return try await withImagePipeline(configuration) { [options] pipeline in
                let job = DatasetJob(
                    options,
                    pipeline: pipeline,
                    onEvent: { if case .progress(let progress) = $0 { last.withLock { $0 = progress } } }
                )
                return try await job.run()
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
