import Calotype
import CalotypeCore
import CalotypeOrigin
import Testing

@Suite(.timeLimit(.minutes(2)))
struct SharingTests {
    @Test func `twenty callers of one rendition share one request`() async throws {
        try await Gallery.open { origin, pipeline in
            let request = ImageRequest(origin.url("/latency/100/\(Gallery.photo)"), .fit(64, 64))
            let sizes = try await withThrowingTaskGroup { group in
                for _ in 0..<20 { group.addTask { try await pipeline.rendition(for: request).size } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(sizes == Array(repeating: PixelSize(width: 64, height: 48), count: 20))
            #expect(origin.statistics.requests == 1)
        }
    }

    @Test func `one of two callers is cancelled, the other gets the picture`() async throws {
        try await Gallery.open { origin, pipeline in
            let request = ImageRequest(origin.url("/latency/300/\(Gallery.photo)"), .fit(64, 64))
            async let patient = pipeline.rendition(for: request)
            let hasty = Task { try await pipeline.rendition(for: request) }
            _ = try await origin.statistics { $0.requests == 1 }
            hasty.cancel()
            await #expect(throws: CancellationError.self) { try await hasty.value }
            let size = try await patient.size
            #expect(size == PixelSize(width: 64, height: 48))
            #expect(origin.statistics.requests == 1)
        }
    }

    @Test func `both are cancelled, and the origin sees the connection close`() async throws {
        try await Gallery.open { origin, pipeline in
            let request = ImageRequest(origin.url("/hang"), .fit(64, 64))
            let callers = (0..<2).map { _ in Task { try await pipeline.rendition(for: request) } }
            _ = try await origin.statistics { $0.requests == 1 }
            for caller in callers { caller.cancel() }
            for caller in callers { await #expect(throws: CancellationError.self) { try await caller.value } }
            _ = try await origin.statistics { $0.earlyHangUps == 1 && $0.openConnections == 0 }
        }
    }

    @Test func `cancelled and immediately requested again, it loads`() async throws {
        try await Gallery.open { origin, pipeline in
            let request = ImageRequest(origin.url("/latency/100/\(Gallery.photo)"), .fit(64, 64))
            let first = Task { try await pipeline.rendition(for: request) }
            _ = try await origin.statistics { $0.requests == 1 }
            first.cancel()
            let picture = try await pipeline.rendition(for: request)
            #expect(picture.attempts == 1)
            await #expect(throws: CancellationError.self) { try await first.value }
        }
    }

    @Test func `a failure reaches all waiters, and the next load starts over`() async throws {
        try await Gallery.open {
            $0.memoryCache = .none
        } _: { origin, pipeline in
            let request = ImageRequest(origin.url("/flaky/1/\(Gallery.photo)"), .fit(64, 64))
            let codes = await withTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask { () -> ErrorCode? in
                        do { _ = try await pipeline.rendition(for: request) } catch {
                            return (error as? CalotypeError)?.code
                        }
                        return nil
                    }
                }
                return await group.reduce(into: Set<ErrorCode?>()) { $0.insert($1) }
            }
            // All three usually share the failing flight; one that came after it got the picture.
            #expect(codes.contains(.http(status: 503)))
            let picture = try await pipeline.rendition(for: request)
            #expect(picture.attempts == 1)
        }
    }
}
