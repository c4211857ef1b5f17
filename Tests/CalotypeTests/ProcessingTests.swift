import CalotypeCore
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Processors of requests: what shares their results.
@Suite(.timeLimit(.minutes(1)))
struct ProcessingTests {
    /// Counts its runs.
    private struct Counting: ImageProcessing {
        let identifier: String
        let runs: Recorder<String>

        func process(_ bitmap: Bitmap) -> Bitmap {
            runs.record(identifier)
            return bitmap
        }
    }

    private static func request(
        _ request: ImageRequest,
        _ names: [String],
        _ runs: Recorder<String>
    ) -> ImageRequest {
        var request = request
        request.processors = names.map { Counting(identifier: $0, runs: runs) }
        return request
    }

    /// Runs `body` with one pipeline after another on one store; the photo is fresh for an hour.
    private static func openTwice(_ body: (PipelineFixture) async throws -> Void) async throws {
        let store = HeldStore()
        for _ in 0..<2 {
            try await PipelineFixture.open {
                $0.store = store
            } _: { fixture in
                try fixture.origin.answer(
                    fixture.url("photo.jpg"),
                    with: DocumentFixture.photo(["Cache-Control": "max-age=3600"])
                )
                try await body(fixture)
            }
        }
    }

    @Test func `requests with equal processors share a result, and others only the decode`() async throws {
        let runs = Recorder<String>()
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            let loads = [["a"], ["a"], ["b"], ["a", "b"], []].map {
                fixture.ask(Self.request(fixture.request(), $0, runs))
            }
            fixture.signal(gate)
            for load in loads { _ = try await load.value }
            #expect(fixture.origin.statistics.requests == 1)
            #expect(fixture.codec.decodes.values.map(\.count) == [4])
            #expect(runs.values.sorted() == ["a", "a", "b", "b"])
            _ = try await fixture.ask(Self.request(fixture.request(), ["b"], runs)).value
            #expect(runs.count == 4)
        }
    }

    @Test func `a stored result needs no processor`() async throws {
        let runs = Recorder<String>()
        try await Self.openTwice { fixture in
            _ = try await fixture.ask(Self.request(fixture.request(), ["a"], runs)).value
        }
        #expect(runs.count == 1)
    }

    @Test func `requests with equal encoders share a result, also one that is stored`() async throws {
        struct Counting: ImageEncoding {
            let identifier: String
            let runs: Recorder<String>

            func encode(_ bitmap: Bitmap) -> [UInt8] {
                runs.record(identifier)
                return Array(identifier.utf8)
            }
        }
        let runs = Recorder<String>()
        try await Self.openTwice { fixture in
            for name in ["a", "b", "a"] {
                var request = fixture.request()
                request.output = .encoded(by: Counting(identifier: name, runs: runs))
                let rendition = try await fixture.ask(request).value
                #expect(rendition.bytes == Array(name.utf8))
                #expect(rendition.format == .custom)
            }
        }
        #expect(runs.values == ["a", "b"])
    }

    @Test func `a processor that claims to be cancelled fails its own load`() async throws {
        struct Claim: ImageProcessing {
            let identifier = "claim"

            func process(_ bitmap: Bitmap) throws -> Bitmap { throw CancellationError() }
        }
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            var claim = fixture.request()
            claim.processors = [Claim()]
            let (failing, other) = (fixture.ask(claim), fixture.ask(fixture.request()))
            fixture.signal(gate)
            #expect(await code(of: failing) == "processor_failed")
            #expect(await code(of: other) == nil)
        }
    }

    @Test func `a larger bitmap does not stand in for a processed one`() async throws {
        let runs = Recorder<String>()
        try await PipelineFixture.open { fixture in
            let large = Self.request(fixture.request("photo.jpg", 64), ["a"], runs)
            _ = try await fixture.start { try await $0.bitmap(for: large) }.value
            var small = Self.request(fixture.request("photo.jpg", 32), ["a"], runs)
            small.allowsLarger = true
            let wanted = small
            let bitmap = try await fixture.start { try await $0.bitmap(for: wanted) }.value
            #expect(bitmap.size.width == 32)
            #expect(runs.count == 2)
        }
    }
}
