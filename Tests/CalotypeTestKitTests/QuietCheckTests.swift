import Calotype
import CalotypeCore
import CalotypeFiles
import CalotypeOrigin
import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1)))
struct QuietCheckTests {
    // Those that look at descriptors run in processes of their own, where nobody else opens any.

    @Test func `a descriptor left open is reported with its number and target`() async {
        await #expect(processExitsWith: .success) {
            let quiet = await QuietCheck.begin(impatient())
            try await quiet.expectQuiet()
            var file: OpenFile? = try OpenFile("/dev/zero", O_RDONLY)
            let number = file?.descriptor ?? -1
            let left = await leftovers { try await quiet.expectQuiet() }
            precondition(left == ["descriptor \(number) (/dev/zero)"], "\(left)")
            file = nil
            try await quiet.expectQuiet()
        }
    }

    @Test func `an unnamed temporary file held open is reported`() async {
        await #expect(processExitsWith: .success) {
            let kept = Recorder<OpenFile>()
            let left = await leftovers {
                try await withQuietCheck(impatient()) { _ in
                    kept.record(try OpenFile.unnamed(in: "/tmp"))
                }
            }
            precondition(left.count == 1 && left[0].hasSuffix("(deleted))"), "\(left)")
        }
    }

    @Test func `a pipeline over the network and the origin leave nothing`() async {
        await #expect(processExitsWith: .success) {
            var options = QuietCheck.Options()
            options.threads = ["codec", "spool", "origin"]
            try await withQuietCheck(options) { quiet in
                let pictures = PicturesInMemory(["a.png": TinyPicture.png()])
                try await withOrigin(OriginConfiguration(pictures: pictures)) { origin in
                    try await withImagePipeline { pipeline in
                        quiet.watch(pipeline)
                        _ = try await pipeline.rendition(for: ImageRequest(origin.pictureURL("a.png")))
                        let left = quiet.leftovers
                        for part in ["thread codec", "thread origin", "descriptor"] {
                            precondition(left.contains { $0.hasPrefix(part) }, "\(left)")
                        }
                    }
                }
            }
        }
    }

    @Test func `a file left in the folder is reported`() async throws {
        let folder = "/tmp/calotype-quiet-\(UInt64.random(in: 0...UInt64.max))"
        unsafe mkdir(folder, 0o700)
        defer { unsafe rmdir(folder) }
        let path = "\(folder)/left.tmp"
        var options = impatient()
        options.descriptors = false
        options.folder = folder
        let left = await leftovers {
            try await withQuietCheck(options) { _ in
                try AtomicFile.write([1], to: path)
            }
        }
        #expect(left == ["file \(path)"])
        unsafe unlink(path)
    }

    @Test func `a thread that has not ended is reported by its name`() async throws {
        var options = impatient()
        options.descriptors = false
        options.threads = ["left-over"]
        let executor = ThreadExecutor(name: "left-over", threads: 1)
        let quiet = await QuietCheck.begin(options)
        try executor.start()
        // The thread names itself when it begins.
        try await executor.run {}
        let left = await leftovers { try await quiet.expectQuiet() }
        #expect(left == ["thread left-over 0"])
        await executor.shutdown()
        try await quiet.expectQuiet()
    }

    @Test func `what is watched must come down to zero, and gets its time`() async throws {
        let clock = ManualClock()
        let gate = AdmissionGate(capacity: 3)
        var options = QuietCheck.Options()
        options.descriptors = false
        options.clock = clock
        options.patience = .milliseconds(3)
        let quiet = await QuietCheck.begin(options)
        quiet.watch("permits") { gate.snapshot.used }
        let permit = try await gate.acquire(weight: 2)
        async let left = leftovers { try await quiet.expectQuiet() }
        for _ in 0..<3 {
            try await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(1))
        }
        #expect(await left == ["permits: 2"])
        async let none = leftovers { try await quiet.expectQuiet() }
        try await clock.waitForSleepers(1)
        permit.release()
        clock.advance(by: .milliseconds(1))
        #expect(await none == [])
    }

    @Test func `a pipeline is quiet when its loads are`() async throws {
        let clock = ManualClock()
        var configuration = PipelineConfiguration()
        let transport = ScriptedTransport(clock: clock, otherwise: .never)
        configuration.exchange = transport
        try await withImagePipeline(configuration) { pipeline in
            let load = Task { try await pipeline.rendition(for: ImageRequest("http://a.test/1.png")) }
            try await transport.waitForRequests(1)
            let left = await leftovers {
                try await QuietCheck.expectQuiet(pipeline, patience: .zero)
            }
            #expect(left.count == 1 && left[0].hasPrefix("pipeline: flights "), "\(left)")
            load.cancel()
            await #expect(throws: CancellationError.self) { try await load.value }
            try await QuietCheck.expectQuiet(pipeline)
        }
    }

    @Test func `the body's own error is passed on`() async {
        struct Odd: Error {}
        await #expect(throws: Odd.self) {
            try await withQuietCheck { quiet in
                quiet.watch("always") { 1 }
                throw Odd()
            }
        }
    }
}

/// Options under which nothing is waited for.
private func impatient() -> QuietCheck.Options {
    var options = QuietCheck.Options()
    options.patience = .zero
    return options
}

/// What is left over by the error that `body` throws.
private func leftovers(_ body: () async throws -> Void) async -> [String] {
    do {
        try await body()
        return []
    } catch let error as TestKitError {
        return error.leftovers
    } catch {
        return ["\(error)"]
    }
}
