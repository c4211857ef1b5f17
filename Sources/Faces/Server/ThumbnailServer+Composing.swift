package import Calotype
public import CalotypeCore
import CalotypeHTTP
public import CalotypeHTTPListener

// For programs that serve pages of their own beside the thumbnails.
extension ThumbnailServer {
    /// Runs `body` while `responder` answers the requests that arrive at the configured address.
    ///
    /// - Parameters:
    ///   - responder: This server, or a responder that forwards to it what is not its own.
    ///   - body: Uses the server, which responds until `body` returns or throws.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; `CalotypeError` if it cannot listen at the address.
    public func withListener<Output>(
        answering responder: some HTTPResponding,
        _ body: (RunningServer) async throws -> Output
    ) async throws -> Output {
        do {
            return try await withHTTPListener(configuration.listener, answering: responder) { listener in
                guard let address = configuration.metricsAddress else {
                    return try await body(RunningServer(listener, self))
                }
                var metrics = HTTPListenerConfiguration()
                metrics.host = address.host
                metrics.port = address.port
                metrics.connections = Self.metricsConnections
                let responder = MetricsResponder(server: self)
                return try await withHTTPListener(metrics, answering: responder) { metrics in
                    try await body(RunningServer(listener, self, metricsPort: metrics.port))
                }
            }
        } catch let error as HTTPListenerError {
            let isInvalid = error.code == .invalidRequest
            throw CalotypeError(
                isInvalid ? .invalidRequest : .connectFailed,
                error.message,
                stage: isInvalid ? .request : .connect,
                cause: error.cause
            )
        }
    }

    private static var metricsConnections: Int { 64 }

    /// The host that it was told to listen at.
    package var bindHost: String { configuration.listener.host }

    /// What separates the name of an option and its arguments in paths.
    package var argumentsSeparator: String { reader.configuration.argumentsSeparator }

    /// The requests for pictures that are in the works, and the most that may be; `nil` for as many as there are connections.
    package var queueLevel: (used: Int, limit: Int?) {
        (queue.count, queue.most == .max ? nil : queue.most)
    }

    /// Connections, memory and decoding of the pipeline.
    package var pipelineConfiguration: PipelineConfiguration { configuration.pipeline }

    /// Tells of trouble that stops nothing.
    package func notice(_ text: String) { configuration.onNotice?(text) }

    /// The cache that had what an answer of this server has, where no load was needed for it; `nil` for all others.
    package static func cacheWithoutLoad(_ response: OutgoingResponse) -> PipelineEvent.Origin? {
        (response.note as? AnswerRecord)?.unloaded
    }

    /// What the source of an answer of this server is called; empty for what has none.
    package static func sourceName(_ response: OutgoingResponse) -> String {
        (response.note as? AnswerRecord)?.displayedSource ?? ""
    }

    /// The path of a thumbnail, signed where paths have to be.
    ///
    /// - Parameters:
    ///   - source: The picture's URL.
    ///   - options: What is done to it, such as `rs:fit:300:200`.
    ///   - format: The extension that names the format, if one is to; else the server chooses.
    /// - Returns: The path from its first slash on, with the server's prefix.
    /// - Throws: Why there is no signature, which libcrypto says.
    public func path(to source: String, options: [String], format: String? = nil) throws -> String {
        let key = zip(configuration.signing.keys, configuration.signing.salts)
            .map { SigningKey(key: $0, salt: $1) }.first
        let signer = URLSigner(key: key, size: configuration.signing.size)
        // Browsers resolve the dots of a path before they ask for it, also those of a source in it.
        let form: URLSigner.SourceForm = source.contains("/.") ? .base64 : .plain
        let path = try signer.path(to: source, options: options, format: format, form: form)
        return reader.configuration.prefix + path
    }

    /// The request that a path leads to: what it loads and makes has the same place in the caches as what the path is answered
    /// with.
    ///
    /// - Parameters:
    ///   - path: As ``path(to:options:format:)`` gives it.
    ///   - headers: Those that the path will be asked for with; a format may be chosen by `Accept`.
    /// - Returns: The request, without a deadline.
    /// - Throws: ``ServerError``.
    public func imageRequest(at path: String, headers: HTTPHeaders) throws(ServerError) -> ImageRequest {
        let now = configuration.pipeline.wallClock()
        let order = ReadThumbnail(try reader.order(path, now: now.secondsSince1970))
        let request = IncomingRequest(
            method: "GET",
            target: path,
            headers: headers,
            client: "",
            arrival: .now,
            body: .empty
        )
        let visit = Visit(request: request, id: "", moment: now)
        var image = try AnswerPlan(order, visit, configuration).request
        image.deadline = nil
        return image
    }
}

/// Answers at the address of the metrics: these, and that the server runs.
struct MetricsResponder: HTTPResponding {
    let server: ThumbnailServer

    func firstAnswer(to request: IncomingRequest) -> FirstAnswer {
        .now(server.operatorsResponse(to: request))
    }

    func response(to request: IncomingRequest) async -> OutgoingResponse {
        server.operatorsResponse(to: request)
    }

    func exchangeEnded(_ exchange: FinishedExchange) {
        server.exchangeEnded(exchange)
    }
}
