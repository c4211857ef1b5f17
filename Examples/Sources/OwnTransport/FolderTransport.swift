import Calotype
import CalotypeHTTP
import Foundation

/// Answers requests with the files of a folder.
struct FolderTransport: HTTPTransporting {
    let folder: URL

    // Without `nonisolated(nonsending)`, the closure has another type in a package that does not enable that
    // feature.
    func withResponse<Output: Sendable>(
        to request: HTTPRequest,
        _ body: nonisolated(nonsending) (HTTPResponse) async throws -> Output
    ) async throws -> Output {
        // The name alone, so that no URL leads out of the folder.
        let name = URL(string: request.url.text)?.lastPathComponent ?? ""
        guard let file = FileHandle(forReadingAtPath: folder.appendingPathComponent(name).path) else {
            return try await body(HTTPResponse(url: request.url, status: 404) { nil })
        }
        defer { try? file.close() }
        let headers = HTTPHeaders([HeaderField("Cache-Control", "max-age=3600")])
        return try await body(
            HTTPResponse(url: request.url, status: 200, headers: headers) {
                try file.read(upToCount: 16_384).map(Array.init)
            }
        )
    }
}

/// Adds a field to each request, such as a signature that depends on its URL.
struct SigningTransport<Base: HTTPTransporting>: HTTPTransporting {
    let base: Base
    let signature: @Sendable (WebURL) -> String

    func withResponse<Output: Sendable>(
        to request: HTTPRequest,
        _ body: nonisolated(nonsending) (HTTPResponse) async throws -> Output
    ) async throws -> Output {
        var signed = request
        try signed.addHeader("Authorization", signature(request.url))
        return try await base.withResponse(to: signed, body)
    }

    func resolved(_ request: HTTPRequest) async throws -> HTTPRequest { try await base.resolved(request) }
}
