import CalotypeCore
import Testing

@testable import CalotypeHTTP

/// The code of the error that `body` throws; fails the test where it throws none, or another kind.
func code<Output>(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Output
) async -> ErrorCode? {
    do {
        _ = try await body()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as CalotypeError {
        return error.code
    } catch {
        Issue.record("\(error) was thrown", sourceLocation: sourceLocation)
    }
    return nil
}

extension HTTPTransporting {
    /// The whole body of the answer to `request`.
    func body(_ request: HTTPRequest) async throws -> [UInt8] {
        try await withResponse(to: request) { try await $0.body.collect() }
    }

    /// The whole body at `url`, as text.
    func text(_ url: WebURL) async throws -> String {
        String(decoding: try await body(HTTPRequest(url)), as: UTF8.self)
    }
}
