import Calotype
import CalotypeCatalog
import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeServer
import CalotypeTestKit
import HTTPListener
import TaskFlow

@testable import CalotypeApp

/// Over real sockets: origin, server with the app, client.
struct AppRig: Sendable {
    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let bytes: [UInt8]
        var text: String { String(decoding: bytes, as: UTF8.self) }
        var json: JSONValue { get throws { try JSONValue(bytes) } }
        /// The code of an error.
        var code: String? { try? json["error"]?["code"]?.text }
    }

    let origin: Origin
    let server: RunningServer
    let client: HTTPClient

    /// Runs `body` with the app, whose catalogue's base is the path `api` at the origin; nothing may be left afterwards.
    static func open(
        api: String = "",
        apiLimit: Int? = nil,
        _ configure: (inout AppConfiguration, inout ServerConfiguration) -> Void = { _, _ in },
        _ body: (AppRig) async throws -> Void
    ) async throws {
        var site = OriginConfiguration(
            pictures: PicturesInMemory(["photo.png": TinyPicture.png(PixelSize(width: 64, height: 48))])
        )
        site.apiLimit = apiLimit
        try await withQuietCheck { quiet in
            try await withOrigin(site) { origin in
                var (app, server) = (AppConfiguration(), ServerConfiguration())
                app.services = CatalogServices(base: origin.url(api))
                server.listener.port = 0
                server.allowsPrivateAddresses = true
                server.accessLog = nil
                server.pipeline.retries = 0
                configure(&app, &server)
                try await withAppServer(app, on: server) { running in
                    quiet.watch(running.pipeline)
                    try await withCurlTransport { transport in
                        try await body(AppRig(origin: origin, server: running, client: HTTPClient(transport)))
                    }
                }
            }
        }
    }

    func request(
        _ path: String,
        method: HTTPMethod = .get,
        _ headers: [String: String] = [:]
    ) throws -> HTTPRequest {
        var request = HTTPRequest(try WebURL("http://127.0.0.1:\(server.port)\(path)"))
        request.method = method
        for (name, value) in headers { try request.addHeader(name, value) }
        return request
    }

    func get(_ path: String, _ headers: [String: String] = [:]) async throws -> Answer {
        try await send(try request(path, headers))
    }

    func post(_ path: String, _ body: String, _ headers: [String: String] = [:]) async throws -> Answer {
        var request = try request(
            path,
            method: .post,
            ["Content-Type": "application/json"].merging(headers) { $1 }
        )
        request.body = HTTPBody(Array(body.utf8))
        return try await send(request)
    }

    func send(_ request: HTTPRequest) async throws -> Answer {
        try await client.withResponse(to: request) { response in
            var bytes: [UInt8] = []
            for try await piece in response.body { bytes += piece }
            return Answer(status: response.status, headers: response.headers, bytes: bytes)
        }
    }

    /// Runs `body` with the events of a stream, which is left when `body` returns.
    func events<Output: Sendable>(
        _ path: String,
        _ body: @escaping @Sendable (inout EventReader) async throws -> Output
    ) async throws -> Output {
        try await client.withResponse(to: try request(path)) { response in
            var reader = EventReader(response.body.makeAsyncIterator())
            return try await body(&reader)
        }
    }
}
