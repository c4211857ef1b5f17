import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import FoundationEssentials
import TaskFlow

@testable import CalotypePublish

/// A tus server in a script: it does what the protocol says, but for what a test puts in between.
final class ScriptedTus: Sendable {
    /// What the server has.
    struct Store {
        var length = 0
        var bytes: [UInt8] = []
        var metadata = ""
        /// How many uploads were created.
        var created = 0
        /// The number of times that each method is still answered otherwise, and how.
        var turns: [HTTPMethod: [Turn]] = [:]
    }

    /// An answer in place of the server's own; `nil` lets the server answer.
    typealias Turn = @Sendable (inout Store, HTTPRequest, [UInt8]) -> ScriptedResponse?

    let endpoint: WebURL
    let transport = ScriptedTransport(keptBodyBytes: .mebibytes(1))
    let log: SessionLog
    private let location: String
    private let store = Guarded(Store())

    init(
        _ endpoint: String = "https://media.test/files/",
        location: String = "/files/{n}",
        now: @escaping @Sendable () -> WallTime = { WallTime(secondsSince1970: 1_800_000_000) }
    ) throws {
        self.endpoint = try WebURL(endpoint)
        self.location = location
        log = SessionLog(PublishClient(HTTPClient(transport), now: now))
        transport.answer(reading: .mebibytes(1)) { [weak self] in self?.answer($0, $1) }
    }

    /// Has the next request of `method` answered by `turn`; after several calls, one after the other.
    func next(_ method: HTTPMethod, _ turn: @escaping Turn) {
        store.withLock { $0.turns[method, default: []].append(turn) }
    }

    /// Has the next `count` requests of `method` answered by a status.
    func next(
        _ method: HTTPMethod,
        _ status: Int,
        headers: KeyValuePairs<String, String> = [:],
        count: Int = 1
    ) {
        for _ in 0..<count { next(method) { _, _, _ in .status(status, headers: headers) } }
    }

    /// What the server has now.
    var bytes: [UInt8] { store.withLock { $0.bytes } }
    /// How many uploads were created.
    var created: Int { store.withLock { $0.created } }
    /// The `Upload-Metadata` of the last one.
    var metadata: String { store.withLock { $0.metadata } }

    /// The requests, each as method and path, and for `PATCH` the offset.
    var course: [String] {
        transport.requests.map { request in
            let offset = request.method == .patch ? " " + (request.headers["Upload-Offset"] ?? "?") : ""
            return "\(request.method) \(request.url.text.dropFirst("https://media.test".count))\(offset)"
        }
    }

    private func answer(_ request: HTTPRequest, _ body: [UInt8]) -> ScriptedResponse {
        let number = Int(request.url.text.split(separator: "/").last ?? "")
        return store.withLock { store in
            if let turn = store.turns[request.method]?.first {
                store.turns[request.method]?.removeFirst()
                if let answer = turn(&store, request, body) { return answer }
            }
            switch request.method {
            case .options: return Self.abilities
            case .post: return create(request, body, &store)
            case _ where number != store.created: return .status(404)
            case .head: return .status(200, headers: ["Upload-Offset": "\(store.bytes.count)"])
            case .patch: return append(request, body, &store)
            default: return .status(204)
            }
        }
    }

    private static let abilities = ScriptedResponse.status(
        204,
        headers: [
            "Tus-Version": "1.0.0,0.2.2", "Tus-Max-Size": "5000",
            "Tus-Extension": "creation, creation-with-upload,termination",
        ]
    )

    private func create(_ request: HTTPRequest, _ body: [UInt8], _ store: inout Store) -> ScriptedResponse {
        store.created += 1
        store.length = Int(request.headers["Upload-Length"] ?? "") ?? -1
        store.metadata = request.headers["Upload-Metadata"] ?? ""
        store.bytes = body
        let url = location.replacing("{n}", with: "\(store.created)")
        return .status(201, headers: ["Location": url, "Upload-Offset": "\(body.count)"])
    }

    private func append(_ request: HTTPRequest, _ body: [UInt8], _ store: inout Store) -> ScriptedResponse {
        guard request.headers["Upload-Offset"] == "\(store.bytes.count)" else { return .status(409) }
        store.bytes += body
        return .status(204, headers: ["Upload-Offset": "\(store.bytes.count)"])
    }
}

extension ScriptedTus {
    /// A destination for this server that sends pieces of 100 bytes.
    func destination(pieceBytes: Int = 100) -> TusDestination {
        var destination = TusDestination(endpoint: endpoint, post: PlainPost(endpoint))
        destination.pieceBytes = ByteCount(pieceBytes)
        return destination
    }

    /// One attempt at an upload.
    @discardableResult
    func attempt(_ medium: PreparedMedium, pieceBytes: Int = 100) async throws -> UploadedMedium {
        try await destination(pieceBytes: pieceBytes).upload(medium, log.upload())
    }

    /// What one attempt at an upload fails with.
    func failure(_ medium: PreparedMedium, pieceBytes: Int = 100) async throws -> PublishError? {
        do {
            try await attempt(medium, pieceBytes: pieceBytes)
            return nil
        } catch let failure as PublishError {
            return failure
        }
    }
}
