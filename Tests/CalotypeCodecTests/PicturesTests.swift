import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeCodec

@Suite(.timeLimit(.minutes(1)))
struct PicturesTests {
    @Test func `one decode serves encodings and pixels alike, in the requested order`() async throws {
        try await withEachCodec { codec in
            let bytes = try await codec.encode(fourCorners(800, 600), as: .jpeg)
            let specs: [PictureSpec] = [
                .pixels(.fit(40, 40)), .encoded(RenditionSpec(.fit(40, 40), .png)),
                .encoded(RenditionSpec(.none, .original)), .pixels(.fill(64, 64)), .pixels(.fit(40, 40)),
            ]
            let made = try await codec.pictures(of: .bytes(bytes)) { specs }.map { try $0.get() }
            #expect(made.map(\.format) == [nil, .png, .jpeg, nil, nil])
            #expect(made.map(\.size.width) == [40, 40, 800, 64, 40])
            #expect(made.map(\.isVerbatim) == [false, false, true, false, false])
            #expect(made[2].bytes == bytes)
            #expect(Set([made[0], made[1], made[3], made[4]].map(\.decoding)).count == 1)
            let small = try #require(made[0].bitmap)
            #expect(small == made[4].bitmap)
            #expect(small.corners == uprightCorners)
            #expect(small.rowBytes == 160)
            // PNG is lossless: both came of the same decode.
            #expect(try await codec.bitmap(of: .bytes(made[1].bytes)) == small)
            #expect(made[3].bitmap?.size == PixelSize(width: 64, height: 64))
        }
    }

    @Test func `what is requested while the work waits shares its decode`() async throws {
        var configuration = ImageCodecConfiguration()
        configuration.threads = 1
        try await withEachCodec(configuration) { codec in
            let bytes = try await codec.encode(fourCorners(100, 100), as: .jpeg)
            let specs = Guarded<[PictureSpec]>([.pixels(.fit(10, 10))])
            let calls = Guarded(0)
            let permit = try await codec.cores.acquire()
            async let made = codec.pictures(of: .bytes(bytes)) {
                calls.withLock { $0 += 1 }
                return specs.withLock { $0 }
            }
            while codec.coreUse.waiting == 0 { await Task.yield() }
            #expect(calls.withLock { $0 } == 0)
            specs.withLock { $0.append(.pixels(.fit(20, 20))) }
            permit.release()
            let widths = try await made.map { try $0.get().size.width }
            #expect(widths == [10, 20])
            #expect(calls.withLock { $0 } == 1)
        }
    }

    @Test func `without callers nothing is opened, and nothing is returned`() async throws {
        try await withEachCodec { codec in
            let made = try await codec.pictures(of: .file(path: "/nonexistent")) { [] }
            #expect(made.isEmpty)
            #expect(codec.memoryUse.used == 0)
        }
    }

    @Test func `work that is cancelled while it waits asks for nothing`() async throws {
        var configuration = ImageCodecConfiguration()
        configuration.threads = 1
        try await withEachCodec(configuration) { codec in
            let calls = Guarded(0)
            let permit = try await codec.cores.acquire()
            let work = Task {
                try await codec.pictures(of: .bytes([])) {
                    calls.withLock { $0 += 1 }
                    return [.pixels(.none)]
                }
            }
            while codec.coreUse.waiting == 0 { await Task.yield() }
            work.cancel()
            await #expect(throws: CancellationError.self) { _ = try await work.value }
            permit.release()
            #expect(calls.withLock { $0 } == 0)
        }
    }

    @Test func `what cannot be made fails alone`() async throws {
        try await withEachCodec { codec in
            let bytes = try await codec.encode(fourCorners(100, 100), as: .png)
            var limits = ImageLimits()
            limits.pixels = 20_000
            let specs: [PictureSpec] = [
                .pixels(.fit(-1, 10)), .encoded(RenditionSpec(.fit(10, 10), .jpeg)),
                .pixels(.fit(.max, .max)), .pixels(.stretch(200, 101)), .pixels(.stretch(200, 100)),
            ]
            let made = try await codec.pictures(of: .bytes(bytes), limits: limits) { specs }
            let codes = made.map { outcome -> ErrorCode? in
                guard case .failure(let error) = outcome else { return nil }
                return error.code
            }
            #expect(codes == [.invalidRequest, nil, .invalidRequest, .tooManyPixels, nil])
        }
    }

    @Test func `an encoder that fails fails its own result`() async throws {
        try await withEachCodec { codec in
            let bytes = try await codec.encode(fourCorners(20_000, 2), as: .png)
            // WebP has no picture wider than 16,383 pixels.
            let specs: [PictureSpec] = [
                .encoded(RenditionSpec(.none, .webp)), .encoded(RenditionSpec(.none, .jpeg)), .pixels(.none),
            ]
            let made = try await codec.pictures(of: .bytes(bytes)) { specs }
            guard case .failure(let error) = made[0] else {
                Issue.record("a WebP of 20,000 pixels across was made")
                return
            }
            #expect(error.code == .encodeFailed)
            #expect(try made[1].get().size.width == 20_000)
            #expect(try made[2].get().bitmap == fourCorners(20_000, 2))
        }
    }

    @Test func `a source that cannot be decoded fails the call`() async throws {
        try await withEachCodec { codec in
            let bytes = try await codec.encode(fourCorners(100, 100), as: .png)
            let specs: [PictureSpec] = [.pixels(.none), .encoded(RenditionSpec(.fit(10, 10), .jpeg))]
            let cut = Array(bytes.dropLast(20))
            #expect(
                await code { _ = try await codec.pictures(of: .bytes(cut)) { specs } } == .truncatedImage
            )
        }
    }

    @Test func `any number of specs is one decode while the picture can be held`() {
        let facts = ImageFacts(format: .png, storedSize: PixelSize(width: 300, height: 200))
        let transforms: [Transform] = [.fit(9, 9), .fill(8, 8), .fit(9, 9), .none]
        var limits = ImageLimits()
        #expect(VipsPlan.plans(facts, transforms, limits: limits).map(\.transforms.count) == [3])
        #expect(VipsPlan.plans(facts, [], limits: limits).isEmpty)
        limits.pixels = 59_999
        #expect(VipsPlan.plans(facts, transforms, limits: limits).map(\.transforms.count) == [1, 1, 1])
    }

    @Test(arguments: [false, true])
    func `a picture too large to be held still gives several sizes`(_ isFile: Bool) async throws {
        try await withEachCodec { codec in
            let bytes = try await codec.encode(fourCorners(300, 200), as: .png)
            var limits = ImageLimits()
            limits.pixels = 20_000
            let specs: [PictureSpec] = [
                .pixels(.fit(100, 100)), .pixels(.fill(30, 30)), .encoded(RenditionSpec(.fit(9, 9), .png)),
            ]
            try await withTemporaryFile(bytes) { [limits] path in
                let input = isFile ? CodecInput.file(path: path) : .bytes(bytes)
                let made = try await codec.pictures(of: input, limits: limits) { specs }
                    .map { try $0.get() }
                #expect(made.map(\.size.width) == [100, 30, 9])
                #expect(made[0].bitmap?.corners == uprightCorners)
                #expect(made[1].bitmap?.corners == uprightCorners)
            }
        }
    }

    @Test func `on an executor of the caller's, work that begins there never leaves it`() async throws {
        let bytes = try await withImageCodec { try await $0.encode(fourCorners(50, 50), as: .jpeg) }
        let executor = ManualExecutor()
        let codec = ImageCodec(executor: executor)
        try codec.start()
        let ended = Guarded(false)
        let work = Task(executorPreference: executor) {
            let facts = try await codec.facts(of: .bytes(bytes))
            let made = try await codec.pictures(of: .bytes(bytes)) {
                [.pixels(.fit(5, 5)), .encoded(RenditionSpec(.fit(9, 9), .webp))]
            }
            _ = try await codec.encode(fourCorners(5, 5), as: .png)
            _ = try await codec.preview(of: bytes)
            ended.withLock { $0 = true }
            return (facts.size.width, made.count)
        }
        executor.runUntilIdle()
        // Without a hop to elsewhere, running all jobs once brings the work to its end.
        #expect(ended.withLock { $0 })
        let (width, count) = try await work.value
        #expect(width == 50)
        #expect(count == 2)
        await codec.shutdown()
    }

    @Test func `work that begins elsewhere is done on the executor of the caller's`() async throws {
        let bytes = try await withImageCodec { try await $0.encode(fourCorners(50, 50), as: .jpeg) }
        let executor = ManualExecutor()
        let codec = ImageCodec(executor: executor)
        let isDriven = Guarded(false)
        let ended = Guarded(false)
        let asked = Recorder<Bool>()
        let work = Task {
            defer { ended.withLock { $0 = true } }
            return try await codec.pictures(of: .bytes(bytes)) {
                asked.record(isDriven.withLock { $0 })
                return [.pixels(.fit(5, 5))]
            }
        }
        while !ended.withLock({ $0 }) {
            isDriven.withLock { $0 = true }
            executor.runUntilIdle()
            isDriven.withLock { $0 = false }
            await Task.yield()
        }
        let made = try await work.value
        #expect(made.count == 1)
        #expect(asked.values == [true])
    }
}
