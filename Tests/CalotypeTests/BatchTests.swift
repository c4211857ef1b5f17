import Calotype
import CalotypeCore
import CalotypeOrigin
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(2)))
struct BatchTests {
    @Test func `failures are values, and each request has one outcome`() async throws {
        try await Gallery.open { origin, pipeline in
            let paths = ["/pictures/photo.jpg", "/status/404", "/pictures/drawing.png", "/html/photo.jpg"]
            let requests = (0..<40).map { ImageRequest(origin.url("\(paths[$0 % 4])?\($0)"), .fit(32, 32)) }
            var codes: [Int: ErrorCode?] = [:]
            for await outcome in pipeline.renditions(for: requests, limit: 8) {
                #expect(outcome.request == requests[outcome.index])
                switch outcome.result {
                case .success: codes[outcome.index] = .some(nil)
                case .failure(let error): codes[outcome.index] = error.code
                }
            }
            #expect(codes.count == 40)
            #expect(codes.values.count { $0 == .http(status: 404) } == 10)
            #expect(codes.values.count { $0 == .unsupportedFormat } == 10)
            #expect(codes.values.count { $0 == nil } == 20)
            await Gallery.expectIdle(pipeline)
        }
    }

    @Test func `in input order the outcomes come as the requests did`() async throws {
        try await Gallery.open { origin, pipeline in
            let requests = (0..<12).map { index in
                ImageRequest(origin.url("/latency/\(60 - index * 5)/\(Gallery.photo)"), .fit(32, 32))
            }
            var indexes: [Int] = []
            for await outcome in pipeline.renditions(for: requests, limit: 4, order: .input) {
                indexes.append(outcome.index)
            }
            #expect(indexes == Array(0..<12))
        }
    }

    @Test func `a batch that is never iterated starts nothing`() async throws {
        try await Gallery.open { origin, pipeline in
            _ = pipeline.renditions(for: [ImageRequest(origin.pictureURL(Gallery.photo))])
            #expect(pipeline.snapshot.isQuiet)
        }
    }

    @Test func `a loop that is left stops its loads; the scopes leave no descriptor`() async throws {
        // As many as are under way at a time: the picture may come to its host's gate after the silent ones.
        try await Gallery.open {
            $0.connections = 100
            $0.connectionsPerHost = 100
        } _: { origin, pipeline in
            let requests = (0..<500).map { index in
                ImageRequest(origin.url(index == 0 ? "/pictures/photo.jpg" : "/hang?\(index)"), .fit(32, 32))
            }
            for await outcome in pipeline.renditions(for: requests, limit: 100) where outcome.index == 0 {
                break
            }
            _ = try await origin.statistics { $0.openConnections == 0 }
        }
    }

    @Test func `the end of the pipeline cancels and awaits what callers still wait for`() async throws {
        try await Gallery.open { origin, _ in
            let kept: ImagePipeline = try await withImagePipeline { pipeline in
                Task { try await pipeline.rendition(for: ImageRequest(origin.url("/hang"))) }
                _ = try await origin.statistics { $0.requests == 1 }
                return pipeline
            }
            _ = try await origin.statistics { $0.openConnections == 0 }
            let error = await #expect(throws: CalotypeError.self) {
                try await kept.rendition(for: ImageRequest(origin.pictureURL(Gallery.photo)))
            }
            #expect(error?.code == .pipelineClosed)
        }
    }

    @Test func `a dead host holds up nobody else`() async throws {
        try await Gallery.open {
            $0.connectionsPerHost = 4
        } _: { origin, pipeline in
            // Another host name is another host, though it is the same machine.
            let dead = (0..<40).map { ImageRequest("http://localhost:\(origin.port)/hang?\($0)") }
            let good = (0..<40).map { ImageRequest(origin.url("/pictures/photo.jpg?\($0)"), .fit(32, 32)) }
            var made = 0
            for await outcome in pipeline.renditions(for: dead + good, limit: 1000) {
                if case .success = outcome.result { made += 1 }
                if made == 40 { break }
            }
            #expect(made == 40)
        }
    }
}
