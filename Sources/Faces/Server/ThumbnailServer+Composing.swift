package import Calotype
public import CalotypeCore
import CalotypeHTTP
public import CalotypeHTTPListener

// For programs that serve their own pages in addition to thumbnails.
extension ThumbnailServer {
    /// Runs `body` while `responder` handles the requests that arrive at the configured address.
    ///
    /// - Parameters:
    ///   - responder: This server, or a responder that forwards requests to it.
    ///   - body: Uses the server, which responds until `body` returns or throws.
    /// - Returns: What `body` returns.
    /// - Throws: Any error from `body`; `CalotypeError` if the server cannot listen on the address.
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

    /// The configured host to listen on.
    package var bindHost: String { configuration.listener.host }

    /// The separator between the name of an option and its arguments in paths.
    package var argumentsSeparator: String { reader.configuration.argumentsSeparator }

    /// The number of image requests in progress, and the limit; `nil` for no limit but connections.
    package var queueLevel: (used: Int, limit: Int?) {
        (queue.count, queue.most == .max ? nil : queue.most)
    }

    /// The pipeline's settings for connections, memory and decoding.
    package var pipelineConfiguration: PipelineConfiguration { configuration.pipeline }

    /// Reports a problem that stops nothing.
    package func notice(_ text: String) { configuration.onNotice?(text) }

    /// The cache that had the result of a response of this server, if no load was needed; otherwise `nil`.
    package static func cacheWithoutLoad(_ response: OutgoingResponse) -> PipelineEvent.Origin? {
        (response.note as? AnswerRecord)?.unloaded
    }

    /// The name of the source of a response of this server; empty if there is none.
    package static func sourceName(_ response: OutgoingResponse) -> String {
        (response.note as? AnswerRecord)?.displayedSource ?? ""
    }

    /// Returns the path of a thumbnail, signed if paths must be signed.
    ///
    /// - Parameters:
    ///   - source: The image's URL.
    ///   - options: The processing options, such as `rs:fit:300:200`.
    ///   - format: The extension that names the format; `nil` if the server chooses.
    /// - Returns: The path with the server's prefix and a leading slash.
    /// - Throws: The error from libcrypto if signing fails.
    public func path(to source: String, options: [String], format: String? = nil) throws -> String {
        let key = zip(configuration.signing.keys, configuration.signing.salts)
            .map { SigningKey(key: $0, salt: $1) }.first
        let signer = URLSigner(key: key, size: configuration.signing.size)
        // Browsers resolve dot segments before they request a path, including those of a source in it.
        let form: URLSigner.SourceForm = source.contains("/.") ? .base64 : .plain
        let path = try signer.path(to: source, options: options, format: format, form: form)
        return reader.configuration.prefix + path
    }

    /// Returns the pipeline request for a path.
    ///
    /// Its results share the cache entries of responses to the path.
    ///
    /// - Parameters:
    ///   - path: A path from ``path(to:options:format:)``.
    ///   - headers: The header fields of the later request for the path; `Accept` may select a format.
    /// - Returns: The request, without a deadline.
    /// - Throws: ``ServerError``.
    public func imageRequest(at path: String, headers: HTTPHeaders) throws(ServerError) -> ImageRequest {
        let now = configuration.pipeline.wallClock()
        let read = ReadThumbnail(try reader.thumbnail(path, now: now.secondsSince1970))
        let request = IncomingRequest(
            method: "GET",
            target: path,
            headers: headers,
            client: "",
            arrival: .now,
            body: .empty
        )
        let visit = Visit(request: request, id: "", moment: now)
        var image = try AnswerPlan(read, visit, configuration).request
        image.deadline = nil
        return image
    }
}

/// Responds at the address of the metrics, with the metrics and the health of the server.
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
