import Calotype
import CalotypeCore
import CalotypeHTTPListener
import CalotypeHTTPMessages
import CalotypeServer
import CalotypeTestKit
import TaskFlow
import Testing

// snippet: Server.service
struct ThumbnailService {
    let configuration: ServerConfiguration
    /// Returns when the program is to end.
    let untilShutdown: @Sendable () async throws -> Void

    func run() async throws {
        try await withThumbnailServer(configuration) { server in
            try await untilShutdown()
            await server.drain()
        }
    }
}
// end

// snippet: Server.site
struct Site: HTTPResponding {
    let thumbnails: ThumbnailServer

    func firstAnswer(to request: IncomingRequest) -> FirstAnswer {
        if request.target.hasPrefix("/thumbnails/") { return thumbnails.firstAnswer(to: request) }
        var page = OutgoingResponse(200)
        page.body = .bytes(Array("Hello\n".utf8))
        return .now(page)
    }

    func response(to request: IncomingRequest) async -> OutgoingResponse {
        await thumbnails.response(to: request)
    }

    func exchangeEnded(_ exchange: FinishedExchange) {
        thumbnails.exchangeEnded(exchange)
    }
}
// end

/// A server inside another program.
@Suite(.timeLimit(.minutes(1))) struct ServerSnippets {
    private let photo = "http://origin.test/photo.jpg"

    private func configuration() -> ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.listener.port = 0
        configuration.accessLog = nil
        let picture = TinyPicture.jpeg(PixelSize(width: 64, height: 48))
        configuration.pipeline.exchange = ScriptedTransport(otherwise: .bytes(picture))
        configuration.allowsPrivateAddresses = true
        return configuration
    }

    /// Compiles only: it listens at a port of this machine.
    private func serve(_ key: [UInt8], _ salt: [UInt8], untilShutdown: () async throws -> Void) async throws {
        // snippet: Server.short
        var configuration = ServerConfiguration()
        configuration.listener.port = 8080
        configuration.cacheFolder = "/var/cache/thumbnails"
        (configuration.signing.keys, configuration.signing.salts) = ([key], [salt])
        try await withThumbnailServer(configuration) { server in
            print("listening on \(server.host):\(server.port)")
            try await untilShutdown()
            await server.drain()
        }
        // end
    }

    @Test func `a service ends when the program does`() async throws {
        let shutdown = Latch<Void>()
        let service = ThumbnailService(configuration: configuration()) { try await shutdown.wait() }
        try await withThrowingTaskGroup { group in
            group.addTask { try await service.run() }
            shutdown.set(())
            try await group.waitForAll()
        }
    }

    @Test func `a site with thumbnails`() async throws {
        var configuration = configuration()
        let use = { (url: String) async throws in
            try await withImagePipeline { pipeline in
                let thumbnail = try await pipeline.data(for: ImageRequest(url), check: .none)
                #expect(thumbnail.bytes.starts(with: Array("RIFF".utf8)))
                let page = try #require(url.firstRange(of: "/thumbnails/")).lowerBound
                let hello = try await pipeline.data(
                    for: ImageRequest(String(url[..<page]) + "/"),
                    check: .none
                )
                #expect(hello.bytes.elementsEqual(Array("Hello\n".utf8)))
            }
        }
        // snippet: Server.mounting
        configuration.paths.prefix = "/thumbnails"
        try await withThumbnailResponder(configuration) { thumbnails in
            try await thumbnails.withListener(answering: Site(thumbnails: thumbnails)) { server in
                let path = try thumbnails.path(to: photo, options: ["rs:fill:300:200"], format: "webp")
                try await use("http://\(server.host):\(server.port)\(path)")
            }
        }
        // end
    }

    @Test func `a listener of one's own`() async throws {
        try await withThumbnailResponder(configuration()) { thumbnails in
            // snippet: Server.foreign
            func respond(_ method: String, _ target: String, _ headers: HTTPHeaders) async -> OutgoingResponse
            {
                let request = IncomingRequest(
                    method: method,
                    target: target,
                    headers: headers,
                    client: "192.0.2.1",
                    arrival: .now,
                    body: .empty
                )
                let response = await thumbnails.response(to: request).settled(for: request)
                var count = 0
                if case .bytes(let bytes) = response.body { count = bytes.count }
                let end = FinishedExchange(
                    request,
                    status: response.status,
                    sentBytes: count,
                    isComplete: true,
                    note: response.note
                )
                thumbnails.exchangeEnded(end)
                return response
            }
            // end
            let target = try thumbnails.path(to: photo, options: ["rs:fit:32:32"], format: "jpg")
            let whole = await respond("GET", target, HTTPHeaders())
            #expect(whole.status == 200 && whole.headers["Content-Type"] == "image/jpeg")
            let count = try #require(whole.bytes?.count)

            let head = await respond("HEAD", target, HTTPHeaders())
            #expect(head.bytes == nil && head.headers["Content-Length"] == "\(count)")
            let tag = try #require(whole.headers["ETag"])
            let known = await respond("GET", target, HTTPHeaders([.init("If-None-Match", tag)]))
            #expect(known.status == 304 && known.bytes == nil && known.headers["Content-Length"] == nil)
            let part = await respond("GET", target, HTTPHeaders([.init("Range", "bytes=0-9")]))
            #expect(part.status == 206 && part.bytes == whole.bytes.map { Array($0.prefix(10)) })
            #expect(part.headers["Content-Range"] == "bytes 0-9/\(count)")
            let unknown = await respond("GET", "/unsafe/nonsense:1/plain/\(photo)", HTTPHeaders())
            #expect(unknown.status == 404)
        }
    }
}

extension OutgoingResponse {
    fileprivate var bytes: [UInt8]? {
        if case .bytes(let bytes) = body { bytes } else { nil }
    }
}
