import Calotype
import CalotypeCore
import CalotypeOrigin
import Testing

@Suite(.timeLimit(.minutes(2)))
struct RetryTests {
    @Test func `a passing failure is tried again, as often as allowed`() async throws {
        try await Gallery.open {
            $0.retries = 2
        } _: { origin, pipeline in
            let request = ImageRequest(origin.url("/flaky/2/\(Gallery.photo)"), .fit(64, 64))
            let picture = try await pipeline.rendition(for: request)
            #expect(picture.attempts == 3)
            #expect(origin.statistics.requests == 3)
        }
    }

    @Test(arguments: [
        ("/status/503", 3), ("/cut/50/photo.jpg", 3), ("/status/404", 1), ("/html/photo.jpg", 1),
    ])
    func `only what may pass is tried again`(path: String, attempts: Int) async throws {
        try await Gallery.open {
            $0.retries = 2
        } _: { origin, pipeline in
            let failure = await #expect(throws: CalotypeError.self) {
                try await pipeline.load(ImageRequest(origin.url(path)))
            }
            #expect(failure?.load?.attempts == attempts)
            #expect(origin.statistics.requests == attempts)
        }
    }

    @Test func `a pause that the origin asks for beyond the timeout ends the load immediately`()
        async throws
    {
        try await Gallery.open {
            $0.retries = 5
            $0.timeout = .seconds(30)
        } _: { origin, pipeline in
            let failure = await #expect(throws: CalotypeError.self) {
                try await pipeline.load(ImageRequest(origin.url("/status/429?retry-after=3600")))
            }
            #expect(failure?.code == .http(status: 429))
            #expect(failure?.load?.attempts == 1)
        }
    }

    @Test func `the timeout holds for all attempts together`() async throws {
        try await Gallery.open {
            $0.retries = 20
            $0.timeout = .milliseconds(300)
        } _: { origin, pipeline in
            let failure = await #expect(throws: CalotypeError.self) {
                try await pipeline.load(ImageRequest(origin.url("/stall/50/\(Gallery.photo)")))
            }
            #expect(failure?.code == .timeoutTotal)
        }
    }
}
