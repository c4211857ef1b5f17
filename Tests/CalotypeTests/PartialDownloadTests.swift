import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeStore
import CalotypeTestKit
import FoundationEssentials
import TaskFlow
import Testing

@testable import Calotype

/// Loads that go on from where an earlier one was cut or cancelled, in another pipeline.
@Suite(.timeLimit(.minutes(2)))
struct PartialDownloadTests {
    private static let body = RangedBody()

    /// A cache folder that is gone with the test.
    private final class Folder {
        let downloads = PartialDownloads(
            in: FileManager.default.temporaryDirectory.path + "/calotype-partial-\(UUID().uuidString)"
        )
        var path: String { String(downloads.folder.dropLast("/partial".count)) }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// Loads the body in a pipeline of its own from an origin that gives `answers`; tells the result and the ranges.
    private func load(
        _ downloads: PartialDownloads,
        _ answers: ScriptedResponse...,
        userAgent: String? = nil,
        configure: (inout ImageRequest) -> Void = { _ in }
    ) async throws -> (bytes: [UInt8]?, code: String?, ranges: [String?]) {
        let outcome = Recorder<(bytes: [UInt8]?, code: String?, ranges: [String?])>()
        try await PipelineFixture.open {
            $0.partialDownloads = downloads
            if let userAgent { $0.transport.userAgent = userAgent }
        } _: { fixture in
            let queue = Guarded(answers)
            fixture.origin.answer { _ in queue.withLock { $0.count > 1 ? $0.removeFirst() : $0.first } }
            var request = fixture.request("body")
            configure(&request)
            let sent = request
            let load = fixture.start { try await $0.data(for: sent, check: .none) }
            let bytes = try? await load.value.bytes
            let code = await code(of: load)
            outcome.record((bytes, code, fixture.origin.requests.map { $0.headers["Range"] }))
        }
        return try #require(outcome.values.first)
    }

    private func cut(_ folder: Folder, _ headers: KeyValuePairs<String, String> = RangedBody.tag) async throws
    {
        let first = try await load(folder.downloads, Self.body.cut(100_000, headers))
        #expect(first.code == "truncated_body")
    }

    @Test func `the next process continues from where the last one was cut`() async throws {
        let folder = Folder()
        try await cut(folder)
        #expect(folder.downloads.contents.count == 1)
        // Cut once more: what is kept has grown.
        let rest = Self.body.rest(100_000).cut(after: ByteCount(50_000))
        let second = try await load(folder.downloads, rest)
        #expect(second.code == "truncated_body" && second.ranges == ["bytes=100000-"])
        let third = try await load(folder.downloads, Self.body.rest(150_000))
        #expect(third.bytes == Self.body.bytes && third.ranges == ["bytes=150000-"])
        #expect(folder.downloads.contents.count == 0)
    }

    @Test func `nothing is kept of what is complete`() async throws {
        let folder = Folder()
        let whole = try await load(folder.downloads, Self.body.whole())
        #expect(whole.bytes == Self.body.bytes && whole.ranges == [nil])
        #expect(folder.downloads.contents.count == 0)
    }

    @Test func `a whole body in response to a range replaces the beginning`() async throws {
        let folder = Folder()
        try await cut(folder)
        let new = RangedBody(count: 150_000, seed: 5)
        let second = try await load(folder.downloads, new.whole(["ETag": "\"two\""]))
        #expect(second.bytes == new.bytes && second.ranges == ["bytes=100000-"])
        #expect(folder.downloads.contents.count == 0)
    }

    @Test(arguments: [
        RangedBody().rest(100_000, "bytes 99999-199998/200000"), RangedBody().rest(100_000, tag: "\"two\""),
        .status(416), .status(412),
    ])
    func `an unusable response costs one more request, and the beginning`(
        answer: ScriptedResponse
    ) async throws {
        let folder = Folder()
        try await cut(folder)
        let second = try await load(folder.downloads, answer, Self.body.whole())
        #expect(second.bytes == Self.body.bytes && second.ranges == ["bytes=100000-", nil])
        #expect(folder.downloads.contents.count == 0)
    }

    @Test(arguments: [
        ScriptedResponse.status(503), .failure(CalotypeError(.connectFailed, "no", stage: .connect)),
    ])
    func `an origin that is down does not cost the beginning`(answer: ScriptedResponse) async throws {
        let folder = Folder()
        try await cut(folder)
        let second = try await load(folder.downloads, answer)
        #expect(second.bytes == nil)
        let third = try await load(folder.downloads, Self.body.rest(100_000))
        #expect(third.bytes == Self.body.bytes)
    }

    @Test(arguments: ["cut", "flip", "head", "record", "gone"])
    func `a damaged beginning is a load from the start`(damage: String) async throws {
        let folder = Folder()
        try await cut(folder)
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.downloads.folder).first
        )
        let file = URL(filePath: "\(folder.downloads.folder)/\(name)")
        var data = try Data(contentsOf: file)
        switch damage {
        case "cut": data.removeLast(5)
        case "flip": data[50_000] ^= 1
        case "head": data[3] ^= 1
        case "record": data[70] ^= 1
        default: try FileManager.default.removeItem(at: file)
        }
        if damage != "gone" { try data.write(to: file) }
        let second = try await load(folder.downloads, Self.body.rest(100_000), Self.body.whole())
        // Only a wrong byte in the body is not seen before the origin was asked.
        let isLate = damage == "flip"
        let expected = isLate ? ["bytes=100000-", nil] : [nil]
        #expect(second.ranges == expected)
        #expect(isLate ? second.bytes == Self.body.bytes : second.code == "protocol_error")
        #expect(folder.downloads.contents.count == 0)
    }

    @Test func `a cancelled load keeps what it has`() async throws {
        let folder = Folder()
        try await PipelineFixture.open {
            $0.partialDownloads = folder.downloads
        } _: { fixture in
            try fixture.origin.answer(
                fixture.url("body"),
                with: Self.body.whole().cut(after: ByteCount(100_000), then: .forever)
            )
            let request = fixture.request("body")
            let load = fixture.start { try await $0.data(for: request, check: .none) }
            fixture.cancel(load)
            #expect(await code(of: load) == "cancelled")
        }
        let second = try await load(folder.downloads, Self.body.rest(100_000))
        #expect(second.bytes == Self.body.bytes && second.ranges == ["bytes=100000-"])
    }

    @Test func `cancelled at any step, nothing is left, and what was kept is right`() async throws {
        let folder = Folder()
        let downloads = folder.downloads
        let scenario = PromiseScenario(name: "a load whose beginning is kept") { configuration, transport in
            downloads.removeAll()
            configuration.partialDownloads = downloads
            transport.answer { Self.body.answer($0.headers["Range"], cutAfter: 100_000) }
        } perform: { stage in
            let request = ImageRequest("http://body.test/")
            let load = { @Sendable () async throws -> Void in
                let data = try await stage.pipeline.data(for: request, check: .none)
                guard data.bytes == Self.body.bytes else { throw WrongPicture(what: "other bytes") }
            }
            _ = try await stage.context.victim(load)
            try await load()
            guard downloads.contents.count == 0 else { throw WrongPicture(what: "a beginning is left") }
        }
        let report = try await CancellationSweep(order: .arrival).run { context in
            try await scenario.run(in: context, beginsTogether: true)
        }
        #expect(report.cuts > 12)
    }

    @Test(
        arguments: [
            ["ETag": "W/\"one\""], [:], ["ETag": "\"one\"", "Cache-Control": "no-store"],
            ["ETag": "\"one\"", "Content-Encoding": "br"],
        ] as [KeyValuePairs<String, String>]
    )
    func `what cannot or must not be kept is not`(headers: KeyValuePairs<String, String>) async throws {
        let folder = Folder()
        try await cut(folder, headers)
        #expect(folder.downloads.contents.count == 0)
    }

    @Test func `what is too short is not kept, and no-store neither reads nor writes`() async throws {
        let folder = Folder()
        _ = try await load(folder.downloads, Self.body.cut(60_000))
        _ = try await load(folder.downloads, Self.body.cut(100_000)) { $0.cachePolicy = .noStore }
        #expect(folder.downloads.contents.count == 0)
        try await cut(folder)
        let second = try await load(folder.downloads, Self.body.whole()) { $0.cachePolicy = .noStore }
        #expect(second.ranges == [nil])
        #expect(folder.downloads.contents.count == 1)
    }

    @Test func `requests with other fields share no beginning, and its length counts for the limit`()
        async throws
    {
        let folder = Folder()
        try await cut(folder)
        let other = try await load(folder.downloads, Self.body.whole()) {
            $0.headers = [HeaderField("Authorization", "other")]
        }
        #expect(other.ranges == [nil])
        let smaller = try await load(folder.downloads, Self.body.whole()) {
            $0.limits.sourceBytes = ByteCount(90_000)
        }
        #expect(smaller.ranges == [nil] && smaller.code == "too_many_bytes")
        #expect(folder.downloads.contents.count == 1)
    }

    @Test(arguments: [("User-Agent", nil), ("Accept-Language", "bytes=100000-")] as [(String, String?)])
    func `a beginning that varies by what is sent serves only equal requests`(
        field: String,
        range: String?
    ) async throws {
        let folder = Folder()
        try await cut(folder, ["ETag": "\"one\"", "Vary": field])
        let other = try await load(folder.downloads, Self.body.whole(), userAgent: "other/1.0")
        #expect(other.bytes == Self.body.bytes && other.ranges == [range])
    }

    @Test func `a pipeline with a disk cache keeps beginnings below its folder`() async throws {
        let folder = Folder()
        try await Gallery.open {
            $0.diskCache = DiskCacheConfiguration(folder: folder.path)
        } _: { origin, pipeline in
            let request = ImageRequest(origin.url("/cut-first/1/100000/\(Gallery.large)"))
            let error = await #expect(throws: CalotypeError.self) { try await pipeline.data(for: request) }
            #expect(error?.code == .truncatedBody)
            #expect(folder.downloads.contents.count == 1)
            let data = try await pipeline.data(for: request)
            let bytes = try await Gallery.bytes(Gallery.large)
            #expect(data.bytes == bytes && origin.statistics.partial == 1)
        }
    }

    @Test func `after a real origin cuts, the next attempt and the next pipeline continue`() async throws {
        let folder = Folder()
        let bytes = try await Gallery.bytes(Gallery.large)
        let size = bytes.count / 3
        try #require(size > PartialDownloads.shortest.bytes)
        try await Gallery.open {
            $0.partialDownloads = folder.downloads
            $0.retries = 1
        } _: { origin, pipeline in
            // Three answers of a third each, and one for what is left of the division.
            let request = ImageRequest(origin.url("/cut-first/3/\(size)/\(Gallery.large)"))
            let error = await #expect(throws: CalotypeError.self) { try await pipeline.load(request) }
            #expect(error?.code == .truncatedBody)
            #expect(error?.load?.attempts == 2)
            #expect(folder.downloads.contents.count == 1)
            var configuration = PipelineConfiguration()
            configuration.partialDownloads = folder.downloads
            let data = try await withImagePipeline(configuration) { try await $0.data(for: request) }
            #expect(data.bytes == bytes)
            #expect(origin.statistics.bytesSent < bytes.count + 10_000)
            #expect(folder.downloads.contents.count == 0)
        }
    }

    @Test(arguments: [
        ("", 1), ("?ranges=ignored", 0), ("?ranges=shifted", 1), ("?ranges=refused", 0), ("?tag=weak", 0),
    ])
    func `whatever a real origin responds, the bytes are right`(
        query: String,
        parts: Int
    ) async throws {
        let bytes = try await Gallery.bytes(Gallery.large)
        try await Gallery.open {
            $0.retries = 1
        } _: { origin, pipeline in
            let request = ImageRequest(origin.url("/cut-first/1/100000/\(Gallery.large)\(query)"))
            let data = try await pipeline.data(for: request)
            #expect(data.bytes == bytes)
            #expect(origin.statistics.partial == parts)
        }
    }
}
