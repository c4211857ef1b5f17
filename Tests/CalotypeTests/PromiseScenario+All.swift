import Calotype
import CalotypeStore
import CalotypeTestKit

extension PromiseScenario {
    static let all = [
        one, everything, alone, samePicture, sharedSource, together, batch, dataAndPicture, pictureAndData,
        retry, growing,
        spooled, queue,
        redirected, stored, provided, task, failing, pool,
        prefetched, thumbnail, resumed, uploaded, removed,
    ]

    /// The whole scenario is cancelled, the pipeline's scope included.
    static let one = PromiseScenario(name: "one load, and its pipeline") { fixture in
        try await fixture.load(1, 24)
    }

    /// As much as there is at a time, and its pipeline cancelled with it.
    static let everything = PromiseScenario(name: "loads of all kinds, and their pipeline") {
        configuration,
        _ in
        configuration.store = SlowStore(clock: configuration.clock)
        configuration.connections = 3
    } perform: { fixture in
        async let picture: Void = fixture.load(1, 24)
        async let smaller: Void = fixture.load(1, 12)
        async let data = fixture.pipeline.data(for: fixture.request(2, 24))
        async let batch = fixture.pipeline.renditions(for: (1...4).map { fixture.request($0, 30) }, limit: 2)
            .gather()
        try await fixture.pipeline.inBackground {
            // Ends early when the pipeline's scope does.
            try? await fixture.context.clock.sleep(for: .seconds(1))
        }
        _ = try await (picture, smaller, data)
        try expect(try await batch.count, 4, "renditions")
        // What is stored or goes on in the background takes its time.
        try await fixture.context.clock.sleep(for: .seconds(2))
    }

    static let alone = PromiseScenario(name: "one load") { fixture in
        try await fixture.context.victim { try await fixture.load(1, 24) }
    }

    static let samePicture = PromiseScenario(name: "three loads of the same picture") { fixture in
        async let first: Void = fixture.load(1, 24)
        async let second: Void = fixture.load(1, 24)
        try await fixture.victim(sharing: 1) { try await fixture.load(1, 24) }
        _ = try await (first, second)
    }

    static let sharedSource = PromiseScenario(name: "two sizes of one source") { fixture in
        async let other: Void = fixture.load(1, 12)
        try await fixture.victim(sharing: 1) { try await fixture.load(1, 24) }
        try await other
    }

    static let together = PromiseScenario(name: "several renditions at once, one of them wanted elsewhere") {
        fixture in
        async let other: Void = fixture.load(1, 12)
        try await fixture.victim(sharing: 1) {
            let specs = [12, 24, 30].map { RenditionSpec(.fit($0, $0), .png) }
            let made = try await fixture.pipeline.renditions(of: .url(fixture.url(1)), as: specs)
            for (rendition, side) in zip(made, [12, 24, 30]) { try fixture.check(rendition, side) }
        }
        try await other
    }

    static let batch = PromiseScenario(name: "a batch of four, two at a time, one wanted elsewhere") {
        fixture in
        async let other: Void = fixture.load(3, 24)
        try await fixture.context.victim {
            let requests = (1...4).map { fixture.request($0, 24) }
            var made = 0
            for await outcome in fixture.pipeline.renditions(for: requests, limit: 2) {
                try fixture.check(try outcome.result.get(), 24)
                made += 1
            }
            try Task.checkCancellation()
            try expect(made, 4, "outcomes")
        }
        try await other
    }

    static let dataAndPicture = PromiseScenario(name: "bytes, and a picture of the same source") { fixture in
        async let other: Void = fixture.load(1, 24)
        try await fixture.victim(sharing: 1) {
            let data = try await fixture.pipeline.data(for: fixture.request(1, 24))
            guard data.bytes == source else { throw WrongPicture(what: "other bytes") }
        }
        try await other
    }

    static let pictureAndData = PromiseScenario(name: "a picture, and bytes of the same source") { fixture in
        async let other = fixture.pipeline.data(for: fixture.request(1, 24))
        try await fixture.victim(sharing: 1) { try await fixture.load(1, 24) }
        let data = try await other
        guard data.bytes == source else { throw WrongPicture(what: "other bytes") }
    }

    static let growing = PromiseScenario(name: "a source that two read while it comes") { fixture in
        async let other: Void = read(fixture)
        try await fixture.victim(sharing: 1) { try await read(fixture) }
        try await other
    }

    private static func read(_ fixture: PromiseFixture) async throws {
        let reading = try fixture.pipeline.growing(fixture.request(1, 24))
        _ = try await reading.head { _ in true }
        var bytes: [UInt8] = []
        try await reading.read { bytes += $0 }
        guard bytes == source else { throw WrongPicture(what: "other bytes") }
    }

    static let uploaded = PromiseScenario(name: "an upload in a file, and a load of another picture") {
        configuration,
        _ in
        configuration.spoolThreshold = ByteCount(100)
    } perform: { fixture in
        async let other: Void = fixture.load(1, 24)
        try await fixture.context.victim {
            let chunks = SlowChunks(bytes: source, clock: fixture.context.clock)
            try await fixture.pipeline.withUpload(chunks, length: ByteCount(source.count)) { upload in
                let request = ImageRequest(upload.source, .fit(24, 24), .png)
                try fixture.check(try await fixture.pipeline.rendition(for: request), 24)
            }
        }
        try await other
    }

    static let removed = PromiseScenario(name: "a removal of a source of which another size is loaded") {
        configuration,
        _ in
        configuration.store = SlowStore(clock: configuration.clock)
        configuration.stores = [.renditions, .sources]
    } perform: { fixture in
        try await fixture.load(1, 24)
        async let other: Void = fixture.load(1, 12)
        try await fixture.context.victim {
            try await fixture.pipeline.cache.removeSource(of: fixture.request(1, 24))
            guard try await !fixture.pipeline.cache.contains(fixture.request(1, 24)) else {
                throw WrongPicture(what: "what was removed")
            }
        }
        try await other
        // What goes on in the background takes its time.
        try await fixture.context.clock.sleep(for: .seconds(1))
    }

    static let retry = PromiseScenario(name: "a load that succeeds at the second attempt") { _, transport in
        let busy = ScriptedResponse.status(503, headers: ["Retry-After": "2"]).after(.pause(.milliseconds(5)))
        try transport.answer("http://host1.test/1.jpg", with: busy, Self.answer)
    } perform: { fixture in
        async let other: Void = fixture.load(1, 12)
        try await fixture.victim(sharing: 2) { try await fixture.load(1, 24) }
        try await other
    }

    static let resumed = PromiseScenario(name: "a load that goes on from where it was cut") { _, transport in
        let half = source.count / 2
        let cut = ScriptedResponse(headers: ["ETag": "\"a\""], body: [.bytes(source)]).cut(
            after: ByteCount(half)
        )
        let rest = ScriptedResponse(
            status: 206,
            headers: ["ETag": "\"a\"", "Content-Range": "bytes \(half)-\(source.count - 1)/\(source.count)"],
            body: [.bytes(Array(source[half...]))]
        )
        try transport.answer("http://host1.test/1.jpg", with: cut, rest.after(.pause(.milliseconds(5))))
    } perform: { fixture in
        async let other: Void = fixture.load(1, 12)
        try await fixture.victim(sharing: 2) { try await fixture.load(1, 24) }
        try await other
    }

    static let spooled = PromiseScenario(name: "a load through a temporary file") { configuration, _ in
        configuration.encodedBytes = ByteCount(100)
    } perform: { fixture in
        async let first: Void = fixture.load(1, 12)
        async let second: Void = fixture.load(2, 12)
        try await fixture.context.victim { try await fixture.load(1, 24) }
        _ = try await (first, second)
    }

    static let queue = PromiseScenario(name: "loads that wait for a connection") { configuration, _ in
        configuration.connections = 1
    } perform: { fixture in
        async let first: Void = fixture.load(1, 24)
        async let third: Void = fixture.load(3, 24)
        try await fixture.context.victim { try await fixture.load(2, 24) }
        _ = try await (first, third)
    }

    static let redirected = PromiseScenario(name: "a load that is redirected") { _, transport in
        let there = ScriptedResponse.redirect(to: "http://elsewhere.test/1.jpg").after(
            .pause(.milliseconds(5))
        )
        try transport.answer("http://host1.test/1.jpg", with: there)
    } perform: { fixture in
        async let other: Void = fixture.load(1, 12)
        try await fixture.context.victim { try await fixture.load(1, 24) }
        try await other
    }

    static let stored = PromiseScenario(name: "a load whose picture is stored in the background") {
        configuration,
        _ in
        configuration.store = SlowStore(clock: configuration.clock)
    } perform: { fixture in
        async let other: Void = fixture.load(1, 12)
        try await fixture.context.victim {
            try await fixture.load(1, 24)
            try await fixture.pipeline.inBackground {
                // Nothing cancels it: the pipeline's scope ends later.
                try? await fixture.context.clock.sleep(for: .milliseconds(100))
            }
        }
        try await other
        // What goes on in the background takes its time.
        try await fixture.context.clock.sleep(for: .seconds(1))
    }

    static let provided = PromiseScenario(name: "a source of the caller's own") { fixture in
        let provider = ImageProvider(id: "own") {
            try await fixture.context.clock.sleep(for: .milliseconds(5))
            return source
        }
        async let other: Void = {
            let request = ImageRequest(.provided(provider), .fit(12, 12), .png)
            try fixture.check(try await fixture.pipeline.rendition(for: request), 12)
        }()
        try await fixture.context.victim {
            _ = try await fixture.pipeline.bitmap(for: ImageRequest(.provided(provider), .fit(24, 24)))
        }
        try await other
    }

    static let task = PromiseScenario(name: "a task with progress and previews") { fixture in
        async let other: Void = fixture.load(1, 12)
        try await fixture.context.victim {
            let task = fixture.pipeline.task(for: fixture.request(1, 24), previews: true)
            try await withTaskCancellationHandler {
                for await _ in task.progress {}
                try fixture.check(try await task.value, 24)
            } onCancel: {
                task.cancel()
            }
        }
        try await other
    }

    static let pool = PromiseScenario(name: "a pool that two ask while it fills") { fixture in
        let pool = ImagePool(
            fixture.pipeline.renditionLoader,
            of: (1...3).map { fixture.request($0, 24) },
            limit: 2
        )
        async let other = pool.randomPicture()
        try await fixture.context.victim { try fixture.check(try await pool.randomPicture(), 24) }
        try fixture.check(try await other, 24)
        pool.end()
    }

    static let prefetched = PromiseScenario(name: "a prefetch of what is wanted meanwhile") { fixture in
        let prefetcher = Prefetcher(fixture.pipeline.renditionLoader, limit: 2)
        async let other: Void = fixture.load(2, 24)
        try await fixture.context.victim {
            let token = prefetcher.start((1...3).map { fixture.request($0, 24) })
            defer { token.cancel() }
            try await fixture.load(3, 24)
        }
        try await other
    }

    static let thumbnail = PromiseScenario(name: "a thumbnail whose document says its size") { _, transport in
        let document = ScriptedResponse.bytes([24]).after(.pause(.milliseconds(7)))
        try transport.answer("http://host1.test/1.json", with: document)
    } perform: { fixture in
        async let other: Void = fixture.load(1, 12)
        try await fixture.context.victim {
            let photos = ThumbnailSource<Int> { id in
                (fixture.url(id), "http://host1.test/1.json")
            } size: { document in
                PixelSize(width: Int(document[0]), height: Int(document[0]))
            }
            let made = try await fixture.pipeline.thumbnail(for: 1, from: photos)
            try expect(made.size, PixelSize(width: 24, height: 16), "size")
        }
        try await other
    }

    /// Nobody gets a picture, but everybody an answer.
    static let failing = PromiseScenario(name: "a load that fails for all who wait for it") { _, transport in
        transport.answer { _ in Self.answer.cut(after: ByteCount(40), then: .forever) }
    } perform: { fixture in
        async let other = code { try await fixture.load(1, 12) }
        try await fixture.context.victim {
            let code = try await code { try await fixture.load(1, 24) }
            try expect(code, .timeoutIdle, "code")
        }
        try expect(try await other, .timeoutIdle, "code")
    }
}

/// The code of the error that `body` throws, which is not to succeed.
private func code(_ body: () async throws -> Void) async throws -> ErrorCode? {
    do {
        try await body()
        return nil
    } catch let error as CalotypeError {
        return error.code
    }
}

private func expect<Value: Equatable>(_ value: Value, _ wanted: Value, _ what: String) throws {
    guard value == wanted else { throw WrongPicture(what: "\(what) \(value) in place of \(wanted)") }
}

/// Keeps what it is given, and takes its time.
private final class SlowStore: EntryStoring {
    private let clock: any Clock<Duration>
    private let values = Guarded<[StoreKey: StoredEntry]>([:])

    init(clock: any Clock<Duration>) {
        self.clock = clock
    }

    func value(for key: StoreKey) async throws -> StoredEntry? {
        try await clock.sleep(for: .milliseconds(1))
        return values.withLock { $0[key] }
    }

    func store(_ value: StoredEntry, for key: StoreKey) async throws -> StoredEntry {
        try await clock.sleep(for: .milliseconds(30))
        return values.withLock { values in
            values[key] = values[key] ?? value
            return values[key] ?? value
        }
    }

    func replaceValue(_ value: StoredEntry, for key: StoreKey) async throws {
        values.withLock { $0[key] = value }
    }

    func removeValue(for key: StoreKey) async throws {
        values.withLock { $0[key] = nil }
    }

    func removeAll() async throws {
        values.withLock { $0 = [:] }
    }
}

/// Bytes in four chunks, with a pause before each.
private struct SlowChunks: AsyncSequence {
    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<UInt8>
        let size: Int
        let clock: any Clock<Duration>

        mutating func next() async throws -> ArraySlice<UInt8>? {
            try await clock.sleep(for: .milliseconds(3))
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(size) }
            return rest.prefix(size)
        }
    }

    let bytes: [UInt8]
    let clock: any Clock<Duration>

    func makeAsyncIterator() -> Iterator {
        Iterator(rest: bytes[...], size: bytes.count / 4 + 1, clock: clock)
    }
}
