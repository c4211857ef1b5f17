public import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeFiles
import CalotypeHTTPListener
public import TaskFlow

/// A running thumbnail server; start one with ``withThumbnailServer(_:recordingTo:_:)``.
public struct RunningServer: Sendable {
    /// The address of the listener.
    public var host: String { listener.host }
    /// The port of the listener; the system chose it if the configuration says 0.
    public var port: Int { listener.port }
    /// The port of the metrics; `nil` if they share ``port``.
    public let metricsPort: Int?
    /// The pipeline that renders the server's images.
    public let pipeline: ImagePipeline
    /// The current metrics, in the text format of Prometheus.
    public var metricsText: String { server.metricsText() }

    private let listener: HTTPListener
    private let server: ThumbnailServer
    private let grace: Duration

    init(_ listener: HTTPListener, _ server: ThumbnailServer, metricsPort: Int? = nil) {
        self.metricsPort = metricsPort
        self.listener = listener
        self.server = server
        pipeline = server.pipeline
        grace = server.configuration.grace
    }

    /// Stops accepting connections and requests, finishes requests in progress, and cancels the rest.
    ///
    /// Requests in progress have ``ServerConfiguration/grace`` to finish.
    public func drain() async {
        await listener.drain(within: grace)
    }
}

/// Runs `body` with a thumbnail server, and returns when the server has shut down.
///
/// All of its connections, tasks, threads and files are closed by then.
///
/// - Parameters:
///   - configuration: The server's settings.
///   - trace: Records the spans of the server's work.
///   - body: Uses the server, which responds until `body` returns or throws.
/// - Returns: What `body` returns.
/// - Throws: Any error from `body`; ``ServerError`` if settings conflict or need more open files than the
///   process may have; `CalotypeError` if the server cannot listen, or cannot load its fallback image or
///   watermark; `SystemError` if the log cannot be opened.
public func withThumbnailServer<Output>(
    _ configuration: ServerConfiguration,
    recordingTo trace: TraceRecorder? = nil,
    _ body: (RunningServer) async throws -> Output
) async throws -> Output {
    try await withThumbnailResponder(configuration, recordingTo: trace) { server in
        try await server.withListener(answering: server, body)
    }
}

/// Runs `body` with a responder for thumbnails but without a listener.
///
/// The call returns when all of its tasks, threads and files are closed. Mount the responder beside others
/// with ``ThumbnailServer/withListener(answering:_:)``, or call it from a server of your own: see
/// <doc:EmbeddingTheServer>.
///
/// - Parameters:
///   - configuration: The server's settings.
///   - trace: Records the spans of the server's work.
///   - body: Uses the responder, which responds until `body` returns or throws.
/// - Returns: What `body` returns.
/// - Throws: Any error from `body`, and what ``withThumbnailServer(_:recordingTo:_:)`` throws before it
///   listens.
public func withThumbnailResponder<Output>(
    _ configuration: ServerConfiguration,
    recordingTo trace: TraceRecorder? = nil,
    _ body: (ThumbnailServer) async throws -> Output
) async throws -> Output {
    let configuration = try configuration.fitted()
    let pictures = try await OwnPictures(configuration)
    let reader = PathReader(try configuration.completePaths(watermark: pictures.watermark))
    let root = try configuration.localRoot.map { path throws(CalotypeError) in try LocalRoot(path) }
    let metrics = ServerMetrics()
    var pipeline = configuration.completePipeline
    let observer = pipeline.observer
    pipeline.observer = { event in
        metrics.add(event)
        observer?(event)
    }
    return try await withAccessLog(configuration.accessLog) { log in
        try await withImagePipeline(pipeline) { pipeline in
            let server = ThumbnailServer(
                configuration,
                reader: reader,
                root: root,
                pipeline: pipeline,
                pictures: pictures,
                metrics: metrics,
                log: log,
                trace: trace,
                seed: UInt64.random(in: .min ... .max)
            )
            return try await body(server)
        }
    }
}

/// The division of the process's descriptors between client connections and loads.
struct DescriptorBudget {
    /// The maximum numbers of connections from clients and to origins.
    private(set) var clients: Int
    private(set) var origins: Int
    /// A message for people about reduced limits; `nil` if everything fits.
    private(set) var notice: String?

    private let limit: Int
    private let workers: Int

    /// The descriptors for a server's log, caches, event counters and pipes, with some to spare.
    private static let own = 96
    /// The pipes and sockets of a worker process.
    private static let perWorker = 8
    /// The minimum useful number of connections on either side.
    private static let fewest = 16

    /// Divides `limit` descriptors.
    ///
    /// If they are too few, the limits that the configuration leaves at their defaults are reduced.
    ///
    /// - Throws: `too_few_descriptors` if explicit settings do not fit.
    init(_ configuration: ServerConfiguration, limit: Int) throws(ServerError) {
        let defaults = ServerConfiguration()
        clients = configuration.listener.connections
        origins = configuration.pipeline.connections
        workers = configuration.pipeline.codec.threads
        self.limit = limit
        guard needed > limit else { return }
        let isFree = (
            clients: clients == defaults.listener.connections,
            origins: origins == defaults.pipeline.connections
        )
        switch isFree {
        case (true, true):
            origins = max((limit - overhead) * 4 / 13, Self.fewest)
            clients = max(limit - overhead - forLoads, Self.fewest)
        case (true, false): clients = max(limit - overhead - forLoads, Self.fewest)
        case (false, true): origins = max((limit - overhead - clients) * 4 / 5, Self.fewest)
        case (false, false): break
        }
        guard needed <= limit else { throw tooFew }
        notice = """
            the limit of open files is \(limit): serving at most \(clients) clients and \(origins) connections to origins at a time; \
            raise it with ulimit -n, or LimitNOFILE= in a systemd unit
            """
    }

    /// The number of descriptors that client connections never take.
    var reserved: Int { overhead + forLoads }

    /// Each load has a connection, and one in four also has a file or a pipe.
    private var forLoads: Int { origins + origins / 4 }
    private var overhead: Int { Self.own + Self.perWorker * workers }
    private var needed: Int { clients + reserved }

    private var tooFew: ServerError {
        ServerError(
            500,
            "Internal error",
            .tooFewDescriptors,
            """
            \(clients) client connections, \(origins) connections to origins and \(workers) workers need \(needed) open files, but \
            the limit is \(limit); raise it with ulimit -n, or LimitNOFILE= in a systemd unit, or allow fewer connections
            """
        )
    }
}

extension ServerConfiguration {
    /// Returns the configuration fitted to the limit of descriptors, some of which are reserved for loads.
    ///
    /// Reports reduced limits to ``onNotice``.
    ///
    /// - Throws: `too_few_descriptors` if explicit settings do not fit.
    func fitted(to limit: Int = DescriptorLimit.current) throws(ServerError) -> ServerConfiguration {
        let budget = try DescriptorBudget(self, limit: limit)
        var configuration = self
        configuration.listener.connections = budget.clients
        configuration.listener.reservedDescriptors = max(listener.reservedDescriptors, budget.reserved)
        configuration.pipeline.connections = budget.origins
        if let notice = budget.notice { onNotice?(notice) }
        return configuration
    }
}
