import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeTestKit
import TaskFlow

@testable import CalotypeServer

/// A server that is called without sockets, over a scripted origin.
struct ServerRig: Sendable {
    /// JPEG, 64 by 48 pixels, which the origin answers everything with unless a test says otherwise.
    static let photo = TinyPicture.jpeg(PixelSize(width: 64, height: 48))
    /// The moment at which all requests come: 1 January 2026.
    static let now = 1_767_225_600

    let server: ThumbnailServer
    let origin: ScriptedTransport

    static func open(
        _ configure: (inout ServerConfiguration) throws -> Void = { _ in },
        pictures: OwnPictures = OwnPictures(),
        log: AccessLog? = nil,
        _ body: (ServerRig) async throws -> Void
    ) async throws {
        let origin = ScriptedTransport(otherwise: .bytes(photo))
        var configuration = ServerConfiguration()
        configuration.pipeline.retries = 0
        configuration.pipeline.exchange = origin
        configuration.pipeline.wallClock = { WallTime(secondsSince1970: now) }
        configuration.allowsPrivateAddresses = true
        try configure(&configuration)
        let reader = PathReader(try configuration.completePaths(watermark: pictures.watermark))
        let metrics = ServerMetrics()
        var pipeline = configuration.completePipeline
        pipeline.observer = { metrics.add($0) }
        try await withImagePipeline(pipeline) { pipeline in
            let server = ThumbnailServer(
                configuration,
                reader: reader,
                root: try configuration.localRoot.map { path throws(CalotypeError) in try LocalRoot(path) },
                pipeline: pipeline,
                pictures: pictures,
                metrics: metrics,
                log: log,
                seed: 1
            )
            try await body(ServerRig(server: server, origin: origin))
        }
    }

    /// The answer that needs neither a task nor the store; `nil` where there is none.
    func atOnce(_ request: IncomingRequest) -> OutgoingResponse? {
        if case .now(let response) = server.firstAnswer(to: request) { response } else { nil }
    }

    /// Asks as the listener does: at once if that will do, else in a task; then takes what is written, and tells the end.
    func get(
        _ target: String,
        method: String = "GET",
        _ headers: [String: String] = [:]
    ) async -> OutgoingResponse {
        let request = Self.request(target, method: method, headers)
        var response = atOnce(request)
        if response == nil { response = await server.response(to: request) }
        var answer = response ?? OutgoingResponse(0)
        let isComplete = await Self.take(&answer)
        server.exchangeEnded(
            FinishedExchange(
                request,
                status: answer.status,
                sentBytes: answer.bytes.count,
                isComplete: isComplete,
                note: answer.note
            )
        )
        return answer
    }

    /// Puts what the answer's function writes in its place; whether it wrote all.
    private static func take(_ answer: inout OutgoingResponse) async -> Bool {
        guard case .written(let length, let write) = answer.body else { return true }
        let pieces = Recorder<[UInt8]>()
        do {
            try await write(BodyWriter({ pieces.record($0) }, ifIdle: { _ in false }))
        } catch {
            answer.body = .bytes(Array(pieces.values.joined()))
            return false
        }
        answer.body = .bytes(Array(pieces.values.joined()))
        return length.map { $0 == answer.bytes.count } ?? true
    }

    static func request(
        _ target: String,
        method: String = "GET",
        takesChunks: Bool = true,
        _ headers: [String: String] = [:]
    ) -> IncomingRequest {
        IncomingRequest(
            method: method,
            target: target,
            headers: HTTPHeaders(headers.map { HeaderField($0.key, $0.value) }),
            client: "192.0.2.1",
            arrival: .now,
            takesChunks: takesChunks,
            body: .empty
        )
    }

    /// The path of a picture of the origin's.
    static func path(
        _ options: String = "rs:fit:32:32",
        _ name: String = "photo.jpg",
        ending: String = "@jpg"
    ) -> String {
        "/unsafe/\(options)/plain/http://origin.test/\(name)\(ending)"
    }
}

extension OutgoingResponse {
    var bytes: [UInt8] { if case .bytes(let bytes) = body { bytes } else { [] } }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var record: AnswerRecord? { note as? AnswerRecord }
}
