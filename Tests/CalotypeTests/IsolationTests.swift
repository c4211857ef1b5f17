import CalotypeCodec
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Where work runs: never on the main actor, and what computes or blocks never on the cooperative pool.
@Suite(.timeLimit(.minutes(1)))
struct IsolationTests {
    private static var threadName: String {
        // The kernel's own record of the calling thread.
        guard let file = unsafe fopen("/proc/thread-self/comm", "r") else { return "" }
        defer { unsafe fclose(file) }
        var name = [CChar](repeating: 0, count: 64)
        guard unsafe fgets(&name, 64, file) != nil else { return "" }
        let bytes = name.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static var isMainThread: Bool {
        var target = [CChar](repeating: 0, count: 64)
        guard unsafe readlink("/proc/thread-self", &target, 63) > 0 else { return true }
        let bytes = target.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self) == "\(getpid())/task/\(getpid())"
    }

    @MainActor
    @Test func `decodes run on the codec's threads, also for a caller on the main actor`() async throws {
        let seen = Recorder<String>()
        var configuration = PipelineConfiguration()
        configuration.observer = { event in
            if case .decoding = event.kind { seen.record(Self.threadName) }
        }
        try await withImagePipeline(configuration) { pipeline in
            for output in [OutputFormat.jpeg, .png, .original] {
                let request = ImageRequest(.bytes(PipelineFixture.photo), .fit(16, 16), output)
                _ = try await pipeline.rendition(for: request)
            }
            _ = try await pipeline.bitmap(for: ImageRequest(.bytes(PipelineFixture.photo)))
        }
        #expect(seen.count == 4)
        #expect(seen.values.allSatisfy { $0.hasPrefix("codec ") })
    }

    @MainActor
    @Test func `nothing of a load runs on the main thread but what its caller gave`() async throws {
        let seen = Recorder<String>()
        let provider = ImageProvider(id: "photo") {
            if Self.isMainThread { seen.record("provider") }
            return PipelineFixture.photo
        }
        var configuration = PipelineConfiguration()
        configuration.exchange = ScriptedTransport(otherwise: .bytes(PipelineFixture.photo))
        configuration.observer = { event in
            switch event.kind {
            // Told by the caller itself.
            case .started, .finished: break
            default: if Self.isMainThread { seen.record("\(event.kind)") }
            }
        }
        try await withImagePipeline(configuration) { pipeline in
            for source in [ImageSource.provided(provider), .url("http://origin.test/1.jpg")] {
                _ = try await pipeline.rendition(for: ImageRequest(source, .fit(16, 16)))
            }
            try await pipeline.inBackground { if Self.isMainThread { seen.record("background") } }
        }
        #expect(seen.values == [])
    }

    @Test func `the spool file is opened and written on the disk's thread`() async throws {
        let folder = "/tmp/calotype-test-\(UInt64.random(in: 0...UInt64.max))"
        let disk = ManualExecutor()
        let intake = Task {
            // No room in memory: another has it all.
            let memory = AdmissionGate(capacity: 1)
            let other = try await memory.acquire()
            defer { other.release() }
            guard let permit = memory.tryAcquire(weight: 0) else { throw CancellationError() }
            var body = SourceBody(
                permit: permit,
                limits: ImageLimits(),
                prober: nil,
                spoolFolder: folder,
                disk: disk
            )
            try await body.append(PipelineFixture.photo)
            return try body.finish().count
        }
        try await disk.waitForJobs(1)
        // Whoever had opened the file before would have failed: there was no folder.
        try #require(unsafe mkdir(folder, 0o700) == 0)
        defer { unsafe rmdir(folder) }
        disk.runUntilIdle()
        let count = try await intake.value
        #expect(count == PipelineFixture.photo.count)
    }

    @Test func `files are looked at and read on the disk's thread`() async throws {
        let path = "/tmp/calotype-test-\(UInt64.random(in: 0...UInt64.max)).jpg"
        let disk = ManualExecutor()
        let codec = ImageCodec(executor: disk)
        let configuration = PipelineConfiguration()
        let loader = SourceLoader(
            HTTPClient(ScriptedTransport()),
            memory: SourceMemory(configuration.encodedBytes, connections: 1),
            intake: SourceIntake(codec, disk: disk, configuration),
            judge: CacheJudge(configuration),
            disk: disk,
            clock: Stopwatch(configuration.clock),
            configuration: configuration
        )
        let load = Task {
            let key = try SourceKey(ImageRequest(.file(path: path)))
            return try await loader.load(key, priority: LivePriority(), feed: SourceFeed().begin())
        }
        try await disk.waitForJobs(1)
        try AtomicFile.write(PipelineFixture.photo, to: path)
        disk.runUntilIdle()
        guard case .body(let body, _) = try await load.value else {
            Issue.record("a file is never unchanged")
            return
        }
        #expect(body.count == PipelineFixture.photo.count)
        let read = Task { try await body.input.bytes(on: disk) }
        try await disk.waitForJobs(1)
        try AtomicFile.write(Array(PipelineFixture.photo.dropLast()), to: path)
        disk.runUntilIdle()
        let bytes = try await read.value
        unsafe unlink(path)
        #expect(bytes.count == PipelineFixture.photo.count - 1)
    }
}
