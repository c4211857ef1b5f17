import CalotypeCatalog
import CalotypeHTTP
import CalotypeOrigin
import CalotypeServer

@testable import CalotypeApp

// Short forms for tests that read what the API says.
extension LiveApp {
    /// Runs `body` with an app whose catalogue's base is the path `api` at the origin.
    static func open(
        api: String,
        _ body: (LiveApp) async throws -> Void
    ) async throws {
        try await open(configure: { $0.services = CatalogServices(base: $1.url(api)) }, body)
    }

    func get(_ path: String, _ fields: [String: String] = [:]) async throws -> Answer {
        try await send(.get, path, fields)
    }

    func post(_ path: String, _ body: String, _ fields: [String: String] = [:]) async throws -> Answer {
        let fields = ["Content-Type": "application/json"].merging(fields) { $1 }
        return try await send(.post, path, fields, body: HTTPBody(Array(body.utf8)))
    }

    /// Gives the events of a stream to `body`, which is left when `body` returns.
    func events<Output: Sendable>(
        _ path: String,
        _ body: @escaping @Sendable (inout StreamReader) async throws -> Output
    ) async throws -> Output {
        try await withEvents(.get, path, body)
    }
}

extension LiveApp.Answer {
    var json: JSONValue { get throws { try JSONValue(bytes) } }
}

extension StreamReader.Event {
    var value: JSONValue { get throws { try JSONValue(Array(data.utf8)) } }
}
