public import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeDigests
import CalotypeFiles
import CalotypeHTTP
public import CalotypeHTTPListener
import TaskFlow

/// Responds to requests for images: path, rules, caches, pipeline and header fields.
///
/// The listener's threads respond with results in memory. All other work runs in the request's task, which is
/// cancelled when its client disconnects. Create a server with ``withThumbnailResponder(_:recordingTo:_:)``.
public final class ThumbnailServer: HTTPResponding {
    let configuration: ServerConfiguration
    /// The pipeline that renders the images.
    public let pipeline: ImagePipeline
    let reader: PathReader
    let thumbnails: KnownThumbnails
    /// The folder of local sources; `nil` if there is none.
    let root: LocalRoot?
    let pictures: OwnPictures
    let infos: KnownInfos
    let queue: RequestQueue
    let metrics: ServerMetrics
    let log: AccessLog?
    let trace: TraceRecorder?
    private let names: RequestNames
    let prepared: PreparedPictures

    init(
        _ configuration: ServerConfiguration,
        reader: PathReader,
        root: LocalRoot? = nil,
        pipeline: ImagePipeline,
        pictures: OwnPictures = OwnPictures(),
        metrics: ServerMetrics,
        log: AccessLog? = nil,
        trace: TraceRecorder? = nil,
        seed: UInt64
    ) {
        self.configuration = configuration
        self.pipeline = pipeline
        self.pictures = pictures
        self.metrics = metrics
        self.log = log
        self.trace = trace
        self.reader = reader
        thumbnails = KnownThumbnails(reader)
        let memory = configuration.pipeline.memoryCache
        infos = KnownInfos(isOn: memory.bytes.bytes > 0 && memory.count > 0)
        self.root = root
        queue = RequestQueue(configuration.queue, workers: configuration.pipeline.codec.threads)
        names = RequestNames(seed: seed)
        prepared = PreparedPictures(
            PreparedPictures.Parts(
                pipeline: pipeline,
                names: names,
                metrics: metrics,
                log: log,
                wallClock: configuration.pipeline.wallClock
            ),
            memory: memory
        )
    }

    /// Returns a response that needs no waiting, or else a plan for it.
    ///
    /// Results in memory, refusals and information about the server need no waiting.
    public func firstAnswer(to request: IncomingRequest) -> FirstAnswer {
        let visit = visit(request)
        switch route(request) {
        case .thumbnail: return firstAnswer(visit)
        case .health: return .now(health(visit))
        case .metrics where configuration.metricsAddress == nil: return .now(metricsAnswer(visit))
        case .landing: return .now(plain(visit, .other, "calotype is running\n"))
        case .metrics, .nothing: return .now(answer(.nothingThere, AnswerRecord(visit.id, .other), visit))
        case nil: return .now(otherMethod(visit))
        }
    }

    /// The response for operators, at a separate address.
    func operatorsResponse(to request: IncomingRequest) -> OutgoingResponse {
        let visit = visit(request)
        return switch route(request) {
        case .metrics: metricsAnswer(visit)
        case .health: health(visit)
        case .thumbnail, .landing, .nothing: answer(.nothingThere, AnswerRecord(visit.id, .other), visit)
        case nil: otherMethod(visit)
        }
    }

    /// Returns the response, whatever work it needs.
    public func response(to request: IncomingRequest) async -> OutgoingResponse {
        await firstAnswer(to: request).response()
    }

    /// Counts the exchange, and adds it to the log.
    public func exchangeEnded(_ exchange: FinishedExchange) {
        let record = exchange.note as? AnswerRecord
        let entry = AccessEntry(exchange, record, at: configuration.pipeline.wallClock())
        metrics.add(entry)
        log?.add(entry)
    }

    /// Returns the route of the request; `nil` for an unsupported method.
    private func route(_ request: IncomingRequest) -> Route? {
        guard request.method == "GET" || request.method == "HEAD" else { return nil }
        return Route(request.target, reader, healthPath: configuration.healthPath)
    }

    private func visit(_ request: IncomingRequest) -> Visit {
        Visit(
            request: request,
            id: names.name(request.headers["X-Request-ID"]),
            moment: configuration.pipeline.wallClock()
        )
    }

    private func otherMethod(_ visit: Visit) -> OutgoingResponse {
        guard visit.request.method == "OPTIONS" else {
            var response = answer(.methodNotAllowed, AnswerRecord(visit.id, .other), visit)
            response.headers.append(HeaderField("Allow", "GET, HEAD, OPTIONS"))
            return response
        }
        return finished(OutgoingResponse(200), AnswerRecord(visit.id, .other), visit)
    }

    private func metricsAnswer(_ visit: Visit) -> OutgoingResponse {
        var response = OutgoingResponse(200)
        response.headers.append(HeaderField("Content-Type", PrometheusText.mediaType))
        response.headers.append(HeaderField("Cache-Control", "no-cache"))
        response.body = .bytes(Array(metricsText().utf8))
        return finished(response, AnswerRecord(visit.id, .metrics), visit)
    }

    /// Returns the metrics in the text format of Prometheus.
    func metricsText() -> String {
        var gauges = ServerMetrics.Gauges(pipeline)
        gauges.workers = configuration.pipeline.codec.threads
        gauges.images = queue.count
        gauges.prepared = prepared.contents
        gauges.droppedLogEntries = log?.droppedCount ?? 0
        return metrics.text(gauges, namespace: configuration.metricsNamespace)
    }

    /// Checks that images can be loaded, by opening and closing the descriptors that a load needs.
    private func health(_ visit: Visit) -> OutgoingResponse {
        guard let shortage = SystemError.descriptorShortage(opening: Self.descriptorsOfLoad) else {
            return plain(visit, .health, "calotype is running\n")
        }
        let refusal = ServerError(
            CalotypeError(.resourceShortage, "no image can be loaded: \(shortage)", stage: .request)
        )
        return answer(refusal, AnswerRecord(visit.id, .health), visit)
    }

    /// A connection, a file for data that does not fit into memory, and the descriptors for a worker process.
    private static let descriptorsOfLoad = 4

    private func plain(_ visit: Visit, _ kind: AnswerRecord.Kind, _ text: String) -> OutgoingResponse {
        var response = OutgoingResponse(200)
        response.headers.append(HeaderField("Content-Type", "text/plain; charset=utf-8"))
        response.headers.append(HeaderField("Cache-Control", "no-cache"))
        response.body = .bytes(Array(text.utf8))
        return finished(response, AnswerRecord(visit.id, kind), visit)
    }

    /// Adds the header fields that every response has.
    func finished(_ response: OutgoingResponse, _ record: AnswerRecord, _ visit: Visit) -> OutgoingResponse {
        var response = response
        response.headers.append(HeaderField("X-Request-ID", visit.id))
        response.headers.append(HeaderField("X-Content-Type-Options", "nosniff"))
        if let origin = configuration.answers.allowedOrigin {
            response.headers.append(HeaderField("Access-Control-Allow-Origin", origin))
            response.headers.append(
                HeaderField("Access-Control-Allow-Methods", "GET, OPTIONS")
            )
        }
        response.note = record
        return response
    }

    /// Throws a 403 unless the request carries the server's secret, if there is one.
    func checkSecret(_ visit: Visit) throws(ServerError) {
        guard let secret = configuration.secret else { return }
        let given = visit.request.headers["Authorization"] ?? ""
        guard ConstantTime.areEqual(Array(given.utf8), Array("Bearer \(secret)".utf8)) else {
            throw ServerError(
                403,
                "Forbidden",
                ErrorCode(rawValue: "invalid_secret"),
                "the Authorization header does not contain the server's secret"
            )
        }
    }
}

extension ServerError {
    /// Nothing exists at that path.
    fileprivate static let nothingThere = ServerError(
        404,
        "Not found",
        .invalidURL,
        "there is no image at this path"
    )

    /// The server does not support the method.
    fileprivate static let methodNotAllowed = ServerError(
        405,
        "Method not allowed",
        .invalidRequest,
        "use GET to request images"
    )
}

/// The target of a request.
enum Route: Hashable, Sendable {
    /// An image, or information about one (`/info/`), which ``PathReader`` parses.
    case thumbnail
    case health, metrics, landing
    /// Nothing, for example a reserved segment.
    case nothing

    /// Determines the route of `target`, the raw target of a request.
    init(_ target: String, _ reader: PathReader, healthPath: String? = nil) {
        let prefix = reader.configuration.prefix
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        let rest = path.starts(with: prefix.utf8) ? path.dropFirst(prefix.utf8.count) : nil
        if let rest, rest.elementsEqual("".utf8) || rest.elementsEqual("/".utf8) {
            self = .landing
        } else if let rest, let healthPath, rest.elementsEqual(healthPath.utf8) {
            self = .health
        } else {
            self =
                switch reader.kind(of: target) {
                case .picture, .information: .thumbnail
                case .reserved("health"): .health
                case .reserved("metrics"): .metrics
                case .reserved, nil: .nothing
                }
        }
    }
}
