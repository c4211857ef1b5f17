import CalotypeCore
import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeCodec

/// Decoding in worker processes gives what decoding in the own process gives.
@Suite(.timeLimit(.minutes(2)))
struct IsolationTests {
    private static let formats: [ImageFormat] = [.jpeg, .png, .webp, .gif, .tiff, .avif]

    @Test(arguments: formats, [DecoderIsolation.slow, .all])
    func `pictures are those that are made without workers`(
        _ format: ImageFormat,
        _ isolation: DecoderIsolation
    ) async throws {
        let specs: [PictureSpec] = [
            .encoded(RenditionSpec(.fit(40, 40), .jpeg)), .encoded(RenditionSpec(.fill(20, 30), .png)),
            .pixels(.fit(33, 33)), .encoded(RenditionSpec(.fit(0, 70_000), .webp)),
            .encoded(RenditionSpec(.none, .original)),
        ]
        let (source, expected) = try await withImageCodec { codec in
            let source = try await codec.encode(fourCorners(100, 80), as: format)
            return (source, try await codec.pictures(of: .bytes(source)) { specs })
        }
        try await TestWorker.withCodec(TestWorker.configuration(isolation)) { codec in
            for input in [CodecInput.bytes(source)] {
                let made = try await codec.pictures(of: input) { specs }
                try Self.expectEqual(made, expected)
            }
            try await withTemporaryFile(source) { path in
                try Self.expectEqual(try await codec.pictures(of: .file(path: path)) { specs }, expected)
            }
            let isFast = [.jpeg, .png, .webp].contains(format)
            #expect((codec.workersStarted > 0) == (isolation == .all || !isFast))
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test(arguments: [OutputFormat.jpeg, .png, .webp, .avif])
    func `bitmaps are encoded as without workers`(_ output: OutputFormat) async throws {
        let bitmap = fourCorners(70, 50)
        let expected = try await withImageCodec { try await $0.encode(bitmap, as: output) }
        try await TestWorker.withCodec { codec in
            let bytes = try await codec.encode(bitmap, as: output)
            #expect(bytes == expected)
            #expect(codec.workersStarted > 0)
        }
    }

    @Test func `errors are those that are thrown without workers`() async throws {
        let png = try await withImageCodec { try await $0.encode(noise(200, 200), as: ImageFormat.png) }
        var damaged = png
        damaged[png.count / 2] ^= 0x55
        for source in [damaged, Array(png.prefix(png.count / 2)), Array("no picture".utf8)] {
            let expected = await Self.error { codec in _ = try await codec.picture(.small, of: source) }
            try await TestWorker.withCodec { codec in
                do {
                    _ = try await codec.picture(.small, of: source)
                    Issue.record("a picture was made")
                } catch let error as CalotypeError {
                    #expect(error.code == expected?.code)
                    #expect(error.message == expected?.message)
                    #expect(error.stage == expected?.stage)
                }
            }
        }
    }

    @Test func `fifty pictures at a time are made by two workers and a spare`() async throws {
        let png = try await withImageCodec { try await $0.encode(noise(100, 100), as: ImageFormat.png) }
        try await TestWorker.withCodec { codec in
            let sizes = try await withThrowingTaskGroup(of: PixelSize.self) { group in
                for side in 1...50 {
                    group.addTask {
                        try await codec.picture(.encoded(RenditionSpec(.fit(side, side), .jpeg)), of: png)
                            .size
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(sizes).count == 50)
            #expect(codec.workerCount <= 3)
            #expect(codec.workersStarted <= 3)
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test func `a worker is replaced after its number of jobs`() async throws {
        let png = try await withImageCodec { try await $0.encode(noise(20, 20), as: ImageFormat.png) }
        var configuration = TestWorker.configuration()
        configuration.workers.jobs = 3
        try await TestWorker.withCodec(configuration) { codec in
            for _ in 0..<10 { _ = try await codec.picture(.small, of: png) }
            #expect(codec.workersStarted >= 4)
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test func `a job may take no more memory than it is given`() async throws {
        let source = try await withImageCodec { try await $0.encode(noise(800, 800), as: ImageFormat.gif) }
        var configuration = TestWorker.configuration()
        configuration.workers.memory = .kibibytes(512)
        try await TestWorker.withCodec(configuration) { codec in
            let failed = await code { _ = try await codec.picture(.pixels(.none), of: source) }
            #expect(failed != nil)
        }
        try await TestWorker.withCodec { codec in
            let made = try await codec.picture(.pixels(.none), of: source)
            #expect(made.size.width == 800)
        }
    }

    @Test func `workers that are always there are there at the start, and go with the codec`() async throws {
        var configuration = TestWorker.configuration()
        configuration.workers.kept = 2
        try await TestWorker.withCodec(configuration) { codec in
            while TestWorker.workers().count < 2 { await Task.yield() }
            #expect(codec.workerCount == 2)
        }
        #expect(TestWorker.processes().isEmpty)
    }

    @Test func `workers without anything to do end after a while`() async throws {
        let png = try await withImageCodec { try await $0.encode(noise(20, 20), as: ImageFormat.png) }
        var configuration = TestWorker.configuration()
        configuration.workers.idleTime = .milliseconds(100)
        try await TestWorker.withCodec(configuration) { codec in
            _ = try await codec.picture(.small, of: png)
            while !TestWorker.processes().isEmpty { await Task.yield() }
            #expect(codec.workerCount == 0)
            _ = try await codec.picture(.small, of: png)
        }
    }

    @Test func `nothing of the workers is left behind`() async {
        await #expect(processExitsWith: .success) {
            let png = try await withImageCodec { try await $0.encode(noise(20, 20), as: ImageFormat.png) }
            try await withQuietCheck { _ in
                try await TestWorker.withCodec { codec in
                    _ = try await codec.picture(.small, of: png)
                    _ = await code { _ = try await codec.picture(.failing(.aborts), of: png) }
                }
            }
        }
    }

    @Test func `a worker that is left is reported as a process`() async throws {
        await #expect(processExitsWith: .success) {
            var options = QuietCheck.Options()
            options.patience = .zero
            let quiet = await QuietCheck.begin(options)
            try await TestWorker.withCodec { codec in
                _ = try await codec.encode(fourCorners(4, 4), as: OutputFormat.png)
                precondition(quiet.leftovers.contains { $0.hasPrefix("process ") }, "\(quiet.leftovers)")
            }
        }
    }

    @Test func `workers end with the program, however that ends`() async throws {
        let parent = try TestParent()
        let processes = try parent.processes()
        #expect(processes.count >= 2)
        parent.kill()
        while processes.contains(where: TestWorker.isAlive) { await Task.yield() }
    }

    private static func error(_ body: (ImageCodec) async throws -> Void) async -> CalotypeError? {
        do {
            try await withImageCodec { try await body($0) }
            return nil
        } catch {
            return error as? CalotypeError
        }
    }

    private static func expectEqual(
        _ made: [Result<CodedPicture, CalotypeError>],
        _ expected: [Result<CodedPicture, CalotypeError>]
    ) throws {
        #expect(made.count == expected.count)
        for (made, expected) in zip(made, expected) {
            switch (made, expected) {
            case (.success(let made), .success(let expected)):
                #expect(made.bytes == expected.bytes)
                #expect(made.bitmap == expected.bitmap)
                #expect(made.format == expected.format)
                #expect(made.size == expected.size)
                #expect(made.decoder == expected.decoder)
                #expect(made.source == expected.source)
                #expect(made.isVerbatim == expected.isVerbatim)
            case (.failure(let made), .failure(let expected)): #expect(made.code == expected.code)
            default: Issue.record("\(made) is not \(expected)")
            }
        }
    }
}
