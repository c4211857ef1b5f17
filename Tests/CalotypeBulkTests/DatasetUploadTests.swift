import Calotype
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeBulk

/// Datasets whose shards go to a store: seven samples in a shard of five and one of two.
@Suite(.timeLimit(.minutes(1)))
struct DatasetUploadTests {
    private static let endings = [".tar", ".idx", ".parquet", ".jsonl", "_stats.json"]
    private static let files = ["00000", "00001"].map { shard in endings.map { shard + $0 } }
    private static let kept = [
        ".calotype", "00000.jsonl", "00000_stats.json", "00001.jsonl", "00001_stats.json",
    ]

    @Test func `each shard is stored with its statistics last, and what a later run needs stays`()
        async throws
    {
        let trial = try Trial()
        let summary = try await trial.run()
        #expect(summary.ending == .finished && summary.succeeded == 7 && summary.uploaded == 2)
        #expect(summary.text.contains("uploaded  2 shards to s3://pictures/cats\n"))
        for files in Self.files { #expect(trial.store.order.filter(files.contains) == files) }
        #expect(try trial.folder.outputNames() == Self.kept)
        try trial.checkObjects()
        let again = try await trial.run()
        #expect(again.skipped == 7 && again.uploaded == 0 && trial.store.order.count == 10)
        #expect(trial.origin.statistics.requests == 7)
    }

    @Test(arguments: 0..<10, [false, true])
    func `an interruption anywhere is continued, with each file stored once and nothing fetched again`(
        _ call: Int,
        _ isAfter: Bool
    ) async throws {
        let trial = try Trial()
        trial.store.fault(call, .hang(after: isAfter))
        let running = Task { try await trial.run() }
        try await trial.store.hanging.wait(count: 1)
        while trial.names("_stats.json").count < 2 { try await Self.pause() }
        running.cancel()
        #expect(try await running.value.ending == .interrupted)
        trial.checkOrder()
        let summary = try await trial.run()
        #expect(summary.ending == .finished && summary.skipped == 7)
        #expect(trial.origin.statistics.requests == 7)
        #expect(trial.store.order.count == 10)
        #expect(try trial.folder.outputNames() == Self.kept)
        trial.checkOrder()
        try trial.checkObjects()
    }

    @Test(arguments: 0..<10)
    func `an upload that is killed after any step is finished by the next one`(_ steps: Int) async throws {
        let trial = try Trial()
        try await trial.makeShards()
        try await withThreadExecutor(name: "upload", threads: 1) { executor in
            for count in [steps, 20] {
                let folder = try DatasetFolder(path: trial.folder.output)
                var upload = ShardUpload(0, "00000", in: folder, to: trial.store, executor)
                for _ in 0..<count {
                    _ = try await upload.advance()
                    trial.checkOrder()
                }
            }
        }
        #expect(trial.store.order == Self.files[0])
        #expect(trial.names(".tar") == ["00001.tar"])
        let summary = try await trial.run()
        #expect(summary.uploaded == 1 && summary.skipped == 7 && trial.origin.statistics.requests == 7)
        #expect(try trial.folder.outputNames() == Self.kept)
        try trial.checkObjects()
    }

    @Test(arguments: [0, 3, 4])
    func `another dataset at the address is not overwritten, and no shard is lost`(_ index: Int) async throws
    {
        let trial = try Trial()
        let name = Self.files[0][index]
        trial.store.put([1], as: name)
        let summary = try await trial.run()
        #expect(summary.exitCode == 2 && trial.store.objects[name] == [1])
        let reason = try #require(summary.ending.reason)
        #expect(reason == "\(name) exists and has other contents")
        #expect(trial.names(".tar").contains("00000.tar"))
        trial.store.put(nil, as: name)
        #expect(try await trial.run().ending == .finished)
        try trial.checkObjects()
    }

    @Test func `a failure ends the run with its reason, and the next one continues`() async throws {
        let trial = try Trial()
        let error = CalotypeError(.http(status: 403), "no permission", stage: .response)
        trial.store.fault(nil, .fail(error))
        try await trial.makeShards()
        let summary = try await trial.run()
        // 3 if no entry had been read before.
        #expect([1, 3].contains(summary.exitCode))
        #expect(summary.ending.reason?.contains("cannot be uploaded: http_403: no permission") == true)
        #expect(trial.names(".tar").count == 2 && trial.store.order == [])
        trial.store.fault(nil, nil)
        let next = try await trial.run()
        #expect(next.ending == .finished && next.uploaded == 2 && trial.origin.statistics.requests == 7)
        try trial.checkObjects()
    }

    @Test func `no shard is begun while too many wait for their upload`() async throws {
        let trial = try Trial(20, perShard: 1)
        trial.store.fault(nil, .wait)
        let running = Task { try await trial.run { ($0.window, $0.concurrency) = (1, 1) } }
        try await trial.store.hanging.wait(count: DatasetUploads.width)
        while trial.names("_stats.json").count < DatasetUploads.limit { try await Self.pause() }
        // Time for further shards to begin, if they could.
        try await trial.progress.wait(count: trial.progress.count + 5)
        // One that waits for room, and one that was begun before.
        #expect(trial.origin.statistics.requests <= DatasetUploads.limit + 2)
        let phrases = try #require(trial.progress.values.last?.phrases)
        #expect(phrases.contains { $0.hasSuffix(" shards to upload") })
        trial.store.release()
        #expect(try await running.value.uploaded == 20)
        #expect(trial.store.objects.count == 100)
    }

    @Test func `a caller waits for room until a shard has been uploaded`() async throws {
        let trial = try Trial(20, perShard: 1)
        try await trial.makeShards()
        try await withThreadExecutor(name: "upload", threads: 1) { executor in
            let uploads = DatasetUploads(
                to: trial.store,
                from: try DatasetFolder(path: trial.folder.output),
                ShardPlan(samplesPerShard: 1, shardDigits: 5),
                .all,
                ledger: DatasetLedger(stopwatch: Stopwatch(ContinuousClock())) { ByteCount(0) },
                stop: Latch(),
                executor: executor
            )
            for shard in 0..<DatasetUploads.limit - 1 { uploads.add(shard) }
            await uploads.waitForRoom()
            uploads.add(DatasetUploads.limit - 1)
            uploads.add(0)
            #expect(uploads.leftCount == DatasetUploads.limit)
            let hasRoom = Recorder<Int>()
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await uploads.waitForRoom()
                    hasRoom.record(trial.store.order.count)
                }
                uploads.finish()
                await uploads.run()
            }
            // Not before the first shard was in the store, whose files are four with the statistics.
            #expect(hasRoom.values[0] >= 5)
            #expect(uploads.leftCount == 0)
        }
    }

    @Test func `a folder belongs to one address, or to none`() async throws {
        let trial = try Trial()
        _ = try await trial.run()
        await #expect {
            try await trial.run { $0.store = nil }
        } throws: {
            "\($0)".contains("is the work folder of s3://pictures/cats")
        }
        await #expect {
            try await trial.run { $0.store = ScriptedStore("s3://pictures/dogs") }
        } throws: {
            "\($0)".contains("is the work folder of s3://pictures/cats")
        }
        let other = try Trial()
        _ = try await other.run { $0.store = nil }
        await #expect {
            try await other.run()
        } throws: {
            "\($0)".contains("has a dataset of its own")
        }
        #expect(other.names(".tar").count == 2)
    }

    @Test func `a shard that another run uploads is left to it`() async throws {
        let trial = try Trial()
        try await trial.makeShards()
        let other = try DatasetFolder(path: trial.folder.output)
        #expect(try other.lock(0))
        let summary = try await trial.run()
        #expect(summary.exitCode == 2)
        #expect(summary.ending.reason?.contains("another run is uploading shard 00000") == true)
        #expect(!trial.store.order.contains("00000.tar"))
    }

    @Test func `failures are retried from the lines that stay, and go to the same address`() async throws {
        let trial = try Trial()
        try trial.origin.answer("http://a.test/1", with: .status(404), .bytes(Trial.picture))
        #expect(try await trial.run().failed == 1)
        let summary = try await trial.run { $0.retriedCodes = [] }
        #expect(summary.succeeded == 1 && summary.uploaded == 1)
        #expect(trial.store.objects["00002.tar"] != nil && trial.names(".tar") == [])
        let dataset = try DatasetInspection(path: trial.folder.output)
        let statistics = try DatasetStatistics(of: dataset)
        #expect(dataset.store == "s3://pictures/cats" && statistics.total.successes == 7)
        #expect(statistics.text.hasPrefix("dataset   s3://pictures/cats\n"))
    }

    @Test func `a retry uploads first what an earlier run has left`() async throws {
        let trial = try Trial()
        try await trial.makeShards()
        let summary = try await trial.run { $0.retriedCodes = [] }
        #expect(summary.ending == .finished && summary.uploaded == 2)
        try trial.checkObjects()
    }

    @Test func `folders of images are not uploaded one by one`() async throws {
        let trial = try Trial()
        await #expect {
            try await trial.run { $0.format = .files }
        } throws: {
            "\($0)".contains("--output-format files")
        }
    }

    /// Lets others work; ends a wait when the time of the test is over.
    private static func pause() async throws {
        try Task.checkCancellation()
        await Task.yield()
    }

    /// A folder, a list of numbered URLs, an origin and a store.
    private final class Trial: Sendable {
        static let picture = TinyPicture.jpeg(PixelSize(width: 64, height: 48))

        let folder: Folder
        let origin: ScriptedTransport
        let store = ScriptedStore()
        let progress = Recorder<FetchProgress>()
        private let perShard: Int

        init(_ count: Int = 7, perShard: Int = 5) throws {
            folder = try Folder()
            self.perShard = perShard
            origin = ScriptedTransport(clock: ManualClock(), otherwise: .bytes(Self.picture))
            let urls = (0..<count).map { "http://a.test/\($0)" }
            _ = try folder.write(Array(urls.joined(separator: "\n").utf8), to: "list.txt")
        }

        func run(_ change: (inout DatasetOptions) -> Void = { _ in }) async throws -> RunSummary {
            var configuration = PipelineConfiguration()
            configuration.exchange = origin
            configuration.retries = 0
            var options = DatasetOptions(input: folder.path + "/list.txt", output: folder.output)
            options.samplesPerShard = perShard
            options.store = store
            change(&options)
            return try await withImagePipeline(configuration) { [options, progress] pipeline in
                let job = DatasetJob(
                    options,
                    pipeline: pipeline,
                    onEvent: { if case .progress(let now) = $0 { progress.record(now) } }
                )
                return try await job.run()
            }
        }

        /// Completes all shards, of which none is uploaded.
        func makeShards() async throws {
            _ = try await run { $0.store = nil }
            // As if the run had been interrupted before the first upload.
            try AtomicFile.write(Array("\(store.address)\n".utf8), to: folder.output + "/.calotype/store")
        }

        func names(_ ending: String) -> [String] {
            FolderNames.all(in: folder.output).filter { $0.hasSuffix(ending) }.sorted()
        }

        /// Checks that what the store or the folder says of a shard is true: whichever has lost a file, the other has it.
        func checkOrder() {
            let objects = Set(store.objects.keys)
            for files in DatasetUploadTests.files {
                if objects.contains(files[4]) { #expect(objects.isSuperset(of: files)) }
                let local = Set(names(""))
                let isGone = local.contains(files[4]) && !local.contains(files[0])
                if isGone { #expect(objects.isSuperset(of: files)) }
            }
        }

        /// Checks that the objects are a valid dataset.
        func checkObjects() throws {
            let copy = folder.path + "/copy"
            try OutputFolder.createFolders(copy)
            for (name, bytes) in store.objects { try AtomicFile.write(bytes, to: "\(copy)/\(name)") }
            let findings = try DatasetInspection(path: copy).verify()
            #expect(findings.problems == [] && findings.samples == 7 && findings.pictures == 7)
        }
    }
}
