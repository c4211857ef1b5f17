import Calotype
import CalotypeCatalog
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeOrigin
import CalotypeServer
import CalotypeTestKit
import FoundationEssentials
import TaskFlow

@testable import CalotypeApp

/// The app on a real server, an origin behind it, and a client before it.
struct LiveApp: Sendable {
    /// JPEG, 64 by 48 pixels, which the origin has as `photo.jpg`.
    static let photo = TinyPicture.jpeg(PixelSize(width: 64, height: 48))

    let origin: Origin
    let server: RunningServer
    let client: HTTPClient

    /// Runs `body` with an app, and sees that nothing of it is left.
    static func open(
        pictures: [String: [UInt8]] = ["photo.jpg": photo],
        configureServer: (inout ServerConfiguration) -> Void = { _ in },
        configure: (inout AppConfiguration, Origin) throws -> Void = { _, _ in },
        _ body: (LiveApp) async throws -> Void
    ) async throws {
        try await withQuietCheck { quiet in
            try await withOrigin(OriginConfiguration(pictures: PicturesInMemory(pictures))) { origin in
                try await serve(origin, quiet, configureServer: configureServer, configure: configure, body)
            }
        }
    }

    /// Runs `body` with an app over an origin that is there already.
    static func serve<Output>(
        _ origin: Origin,
        _ quiet: QuietCheck,
        configureServer: (inout ServerConfiguration) -> Void = { _ in },
        configure: (inout AppConfiguration, Origin) throws -> Void = { _, _ in },
        _ body: (LiveApp) async throws -> Output
    ) async throws -> Output {
        var server = ServerConfiguration()
        server.listener.port = 0
        server.listener.threads = 2
        server.allowsPrivateAddresses = true
        server.accessLog = nil
        server.pipeline.retries = 0
        configureServer(&server)
        var app = AppConfiguration()
        app.services = CatalogServices(base: origin.baseURL)
        try configure(&app, origin)
        return try await withAppServer(app, on: server) { server in
            quiet.watch(server.pipeline)
            return try await withCurlTransport { transport in
                try await body(LiveApp(origin: origin, server: server, client: HTTPClient(transport)))
            }
        }
    }

    /// The URL of a picture of the origin's.
    func photo(_ number: Int = 0) -> String { origin.url("/pictures/photo.jpg?\(number)") }

    func request(
        _ method: HTTPMethod = .get,
        _ path: String,
        _ fields: [String: String] = [:],
        body: HTTPBody = .none
    ) throws -> HTTPRequest {
        let url = try WebURL("http://127.0.0.1:\(server.port)\(path)")
        var request = HTTPRequest(url, method: method, body: body)
        for (name, value) in fields { try request.addHeader(name, value) }
        // The test has a time limit; events are small, and a busy machine may draw for long before the first.
        request.timeouts.minimumRate = ByteCount(0)
        (request.timeouts.headers, request.timeouts.idle) = (.seconds(120), .seconds(120))
        return request
    }

    /// Sends a request, and reads the whole answer.
    func send(
        _ method: HTTPMethod = .get,
        _ path: String,
        _ fields: [String: String] = [:],
        body: HTTPBody = .none
    ) async throws -> Answer {
        try await client.withResponse(to: try request(method, path, fields, body: body)) { response in
            Answer(
                status: response.status,
                headers: response.headers,
                bytes: try await response.body.collect()
            )
        }
    }

    /// Sends JSON, and reads the whole answer.
    func send(_ method: HTTPMethod, _ path: String, json: some Encodable) async throws -> Answer {
        let body = HTTPBody(Array(try JSONEncoder().encode(json)))
        return try await send(method, path, ["Content-Type": "application/json"], body: body)
    }

    /// Sends JSON, and gives the events of the answer to `body` as they come, until it returns.
    func withEvents<Output: Sendable>(
        _ method: HTTPMethod,
        _ path: String,
        json: (any Encodable)? = nil,
        _ body: @Sendable (inout StreamReader) async throws -> Output
    ) async throws -> Output {
        let bytes = try json.map { HTTPBody(Array(try JSONEncoder().encode($0))) }
        let fields = json == nil ? [:] : ["Content-Type": "application/json"]
        let request = try request(method, path, fields, body: bytes ?? .none)
        return try await client.withResponse(to: request) { response in
            var reader = StreamReader(response.body.makeAsyncIterator())
            return try await body(&reader)
        }
    }

    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let bytes: [UInt8]

        var text: String { String(decoding: bytes, as: UTF8.self) }
        /// The code of an error.
        var code: String? {
            struct Wire: Decodable {
                struct Error: Decodable { let code: String }
                let error: Error
            }
            return try? json(as: Wire.self).error.code
        }

        func json<Value: Decodable>(as type: Value.Type) throws -> Value {
            try JSONDecoder().decode(type, from: Data(bytes))
        }
    }
}
