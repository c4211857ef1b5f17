import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

@Suite(.timeLimit(.minutes(2)))
struct CancelTests {
    @Test func `a decode that is cancelled midway throws CancellationError and gives its permits back`()
        async throws
    {
        try await withEachCodec { codec in
            // Long enough, at 30 ms and more, that the cancel falls into the decode.
            let bytes = try await codec.encode(noise(2000, 2000), as: .png)
            for _ in 0..<5 {
                let work = Task {
                    try await codec.renditions(of: .bytes(bytes), as: [RenditionSpec(.fit(100, 100), .jpeg)])
                }
                while codec.coreUse.used == 0 { await Task.yield() }
                work.cancel()
                await #expect(throws: CancellationError.self) { try await work.value }
                #expect(codec.coreUse.used == 0)
                #expect(codec.memoryUse.used == 0)
            }
        }
    }

    @Test func `waiters that are cancelled leave, and the others are served`() async throws {
        var configuration = ImageCodecConfiguration()
        configuration.threads = 1
        try await withEachCodec(configuration) { codec in
            let bytes = try await codec.encode(noise(500, 500), as: .png)
            let permit = try await codec.cores.acquire()
            let spec = RenditionSpec(.fit(50, 50), .jpeg)
            let tasks = (0..<6).map { _ in Task { try await codec.renditions(of: .bytes(bytes), as: [spec]) }
            }
            while codec.coreUse.waiting < 6 { await Task.yield() }
            for task in tasks.prefix(3) { task.cancel() }
            for task in tasks.prefix(3) {
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            permit.release()
            for task in tasks.dropFirst(3) { #expect(try await task.value.count == 1) }
            #expect(codec.coreUse == AdmissionGate(capacity: 1).snapshot)
            #expect(codec.memoryUse.used == 0)
        }
    }

    @Test func `a wait that becomes urgent overtakes an older one`() async throws {
        var configuration = ImageCodecConfiguration()
        configuration.threads = 1
        try await withEachCodec(configuration) { codec in
            let bytes = try await codec.encode(noise(500, 500), as: .png)
            let permit = try await codec.cores.acquire()
            let spec = RenditionSpec(.fit(50, 50), .jpeg)
            func wait(_ priority: LivePriority) -> Task<Duration?, any Error> {
                Task {
                    let made = try await codec.renditions(of: .bytes(bytes), as: [spec], priority: priority)
                    return made.first?.queued
                }
            }
            let older = wait(LivePriority(.low))
            while codec.coreUse.waiting < 1 { await Task.yield() }
            let priority = LivePriority(.low)
            let younger = wait(priority)
            while codec.coreUse.waiting < 2 { await Task.yield() }
            priority.set(.high)
            permit.release()
            // With one thread, the one that came first waited longer only if it was served second.
            let waits = (try #require(try await older.value), try #require(try await younger.value))
            #expect(waits.0 > waits.1)
        }
    }

    @Test(arguments: [true, false])
    func `background work leaves a quarter of the cores and of the memory to urgent work`(
        _ holdsCores: Bool
    ) async throws {
        var configuration = ImageCodecConfiguration()
        configuration.threads = 4
        configuration.memory = .mebibytes(4)
        try await withEachCodec(configuration) { codec in
            let bytes = try await codec.encode(noise(50, 50), as: .png)
            let gate = holdsCores ? codec.cores : codec.memory
            let permit = try await gate.acquire(weight: gate.snapshot.capacity / 4 * 3, priority: .low)
            let background = LivePriority(.low)
            let ended = Guarded(false)
            let later = Task {
                defer { ended.withLock { $0 = true } }
                return try await codec.bitmap(of: .bytes(bytes), priority: background)
            }
            while gate.snapshot.waiting == 0, !ended.withLock({ $0 }) { await Task.yield() }
            let urgent = try await codec.bitmap(of: .bytes(bytes), priority: LivePriority(.high))
            #expect(urgent == noise(50, 50))
            #expect(gate.snapshot.waiting == 1)
            permit.release()
            #expect(try await later.value == urgent)
        }
    }

    @Test func `large decodes wait for memory and none is lost`() async throws {
        var configuration = ImageCodecConfiguration()
        configuration.threads = 4
        configuration.memory = .mebibytes(1)
        try await withEachCodec(configuration) { codec in
            let bytes = try await codec.encode(noise(400, 400), as: .webp)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        try await codec.renditions(
                            of: .bytes(bytes),
                            as: [RenditionSpec(.fit(40, 40), .jpeg)]
                        ).count
                    }
                }
                let served = try await group.reduce(0, +)
                #expect(served == 16)
            }
            #expect(codec.memoryUse.used == 0)
        }
    }

    @Test func `a switch that was pulled before there was an image stops it as well`() throws {
        let killSwitch = KillSwitch(limit: .seconds(60))
        killSwitch.pull()
        try Libvips.start()
        let image = try VipsImage.copy(of: fourCorners(8, 8))
        #expect(throws: CancellationError.self) { try killSwitch.guards(image) }
    }

    @Test func `a damaged picture gives its permits back`() async throws {
        try await withEachCodec { codec in
            let bytes = try await codec.encode(noise(100, 100), as: .png)
            var spoiled = bytes
            for i in 60..<200 { spoiled[i] = 0 }
            #expect(await code { _ = try await codec.bitmap(of: .bytes(spoiled)) } == .corruptImage)
            #expect(codec.coreUse.used == 0)
            #expect(codec.memoryUse.used == 0)
        }
    }
}
