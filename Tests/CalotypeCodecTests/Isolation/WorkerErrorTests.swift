import CalotypeCore
import CalotypePlatform
import TaskFlow
import Testing

@testable import CalotypeCodec

/// What a worker may do wrong, and who notices.
@Suite(.timeLimit(.minutes(2)))
struct WorkerFaultTests {
    private let png: [UInt8]

    init() async throws {
        png = try await withImageCodec { try await $0.encode(fourCorners(64, 64), as: .png) }
    }

    @Test(arguments: [
        (TestWorker.Fault.aborts, "SIGABRT"), (.exits, "status 3"), (.answersFarAway, "invalid"),
        (.answersGarbage, "invalid"), (.answersTooLong, "invalid"), (.answersWhatIsThere, "invalid"),
    ])
    func `a worker that goes wrong fails its own picture, and the next is made`(
        _ fault: TestWorker.Fault,
        _ reason: String
    ) async throws {
        try await TestWorker.withCodec { codec in
            for _ in 0..<2 {
                do {
                    _ = try await codec.picture(.failing(fault), of: png)
                    Issue.record("a picture was made")
                } catch let error as CalotypeError {
                    #expect(error.code == .decoderCrashed)
                    #expect(error.message.contains(reason), "\(error.message)")
                }
                let picture = try await codec.picture(.small, of: png)
                #expect(picture.size == PixelSize(width: 16, height: 16))
            }
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test(arguments: [TestWorker.Fault.hangs, .computesForEver])
    func `a worker past the deadline is ended, and the picture has timed out`(
        _ fault: TestWorker.Fault
    ) async throws {
        var limits = ImageLimits()
        limits.decodeTime = .milliseconds(300)
        try await TestWorker.withCodec { [limits] codec in
            // The worker is warm then, so that the time is that of the job.
            _ = try await codec.picture(.small, of: png)
            let failed = await code { _ = try await codec.picture(.failing(fault), of: png, limits: limits) }
            #expect(failed == .timeoutDecode)
            let made = try await codec.picture(.small, of: png)
            #expect(!made.bytes.isEmpty)
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test func `a worker is ended when nobody waits for its picture any more`() async throws {
        try await TestWorker.withCodec { codec in
            _ = try await codec.picture(.small, of: png)
            for _ in 0..<3 {
                let before = TestWorker.workers()
                let work = Task { try await codec.picture(.failing(.computesForEver), of: png) }
                while codec.memoryUse.used == 0 { await Task.yield() }
                work.cancel()
                await #expect(throws: CancellationError.self) { try await work.value }
                #expect(codec.coreUse.used == 0)
                // One of those that were there is gone, if the cancel came after it had been taken.
                #expect(before.filter(TestWorker.isAlive).count >= before.count - 1)
            }
            _ = try await codec.picture(.small, of: png)
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test func `a worker that is killed at its work fails its picture and no other`() async throws {
        try await TestWorker.withCodec { codec in
            _ = try await codec.picture(.small, of: png)
            let work = Task { try await codec.picture(.failing(.hangs), of: png) }
            // One that has not read its job yet would cost no picture.
            var stopped: [pid_t] = []
            repeat {
                await Task.yield()
                stopped = TestWorker.workers().filter(TestWorker.isStopped)
            } while stopped.isEmpty
            // Pictures are made meanwhile, by another worker.
            for _ in 0..<5 { _ = try await codec.picture(.small, of: png) }
            let failure = Task { await code { _ = try await work.value } }
            for worker in stopped + TestWorker.workers() { kill(worker, SIGKILL) }
            #expect(await failure.value == .decoderCrashed)
            _ = try await codec.picture(.small, of: png)
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test func `workers that are killed while they stand ready cost no picture`() async throws {
        try await TestWorker.withCodec { codec in
            for _ in 0..<10 {
                _ = try await codec.picture(.small, of: png)
                for child in TestWorker.workers() { kill(child, SIGKILL) }
            }
            _ = try await codec.picture(.small, of: png)
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test(arguments: ["end-at-once", "/nowhere/at/all"])
    func `a program that is no worker gives a clear error, and is not started again and again`(
        _ program: String
    ) async throws {
        var configuration = TestWorker.configuration(program: [program])
        if program.hasPrefix("/") { configuration.workers.program.path = program }
        try await TestWorker.withCodec(configuration) { codec in
            for _ in 0..<20 {
                do {
                    _ = try await codec.picture(.small, of: png)
                    Issue.record("a picture was made")
                } catch let error as CalotypeError {
                    #expect(error.code == .decoderUnavailable)
                    #expect(
                        error.message.contains(program.hasPrefix("/") ? "No such file" : "status 7"),
                        "\(error)"
                    )
                }
            }
            #expect(codec.workersStarted < 10)
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test func `a program that does not offer to be a worker is not started`() async throws {
        var configuration = TestWorker.configuration()
        configuration.workers.program = .itself
        try await TestWorker.withCodec(configuration) { codec in
            let failed = await code { _ = try await codec.picture(.small, of: png) }
            #expect(failed == .decoderUnavailable)
            #expect(codec.workersStarted == 0)
        }
    }

    @Test func `a decode that waits for its worker can be cancelled`() async throws {
        try await TestWorker.withCodec(TestWorker.configuration(program: ["never-ready"])) { codec in
            let work = Task { try await codec.picture(.small, of: png) }
            while codec.memoryUse.used == 0 { await Task.yield() }
            work.cancel()
            await #expect(throws: CancellationError.self) { try await work.value }
        }
        #expect(TestWorker.processes().isEmpty)
    }
}
