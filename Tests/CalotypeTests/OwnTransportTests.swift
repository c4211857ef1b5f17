import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import Calotype

/// A transport from outside, which applies no limits itself.
@Suite(.timeLimit(.minutes(1)))
struct OwnTransportTests {
    /// Answers with a JPEG that never ends.
    private struct Endless: HTTPTransporting {
        func withResponse<Output: Sendable>(
            to request: HTTPRequest,
            _ body: (HTTPResponse) async throws -> Output
        ) async throws -> Output {
            let calls = Recorder<Bool>()
            return try await body(
                HTTPResponse(url: request.url, status: 200) {
                    calls.record(true)
                    return calls.count == 1 ? PipelineFixture.photo : [UInt8](repeating: 0, count: 1 << 16)
                }
            )
        }
    }

    @Test func `a body without an end is too large, and nothing is left of it`() async throws {
        var configuration = PipelineConfiguration()
        configuration.exchange = Endless()
        configuration.retries = 0
        try await withImagePipeline(configuration) { pipeline in
            var request = ImageRequest("http://a.test/1.jpg")
            request.limits.sourceBytes = .mebibytes(1)
            let limited = request
            let error = await #expect(throws: CalotypeError.self) {
                try await pipeline.rendition(for: limited)
            }
            #expect(error?.code == .tooManyBytes)
        }
    }
}
