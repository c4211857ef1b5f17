public import Calotype
import CalotypeCore
import CalotypeHTTPListener
public import TaskFlow

/// A thumbnail server at work; get one from ``withThumbnailServer(_:_:)``.
public struct RunningServer: Sendable {
    /// The address that it listens on.
    public var host: String { listener.host }
    /// The port that it listens on, chosen by the system where 0 was asked for.
    public var port: Int { listener.port }
    /// The port at which metrics are told; `nil` where that is ``port``.
    public let metricsPort: Int?
    /// What it makes pictures with.
    public let pipeline: ImagePipeline
    /// What its metrics say now, as Prometheus reads them.
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

    /// Takes no more connections and requests, waits for the answers under way, and cancels the rest after
    /// ``ServerConfiguration/grace``.
    public func drain() async {
        await listener.drain(within: grace)
    }
}

/// Runs `body` with a thumbnail server that answers, and returns when all of its connections, tasks, threads and files are
/// closed.
///
/// - Parameters:
///   - configuration: what it serves, and within which limits.
///   - trace: takes the spans of its work, if somebody wants them.
///   - body: uses it; it answers until `body` returns or throws.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws; `CalotypeError` where it cannot listen, or a picture of its own cannot be loaded; `SystemError`
///   where the log cannot be opened; `PathConfigurationError` for settings that make no sense together.
public func withThumbnailServer<Output>(
    _ configuration: ServerConfiguration,
    recordingTo trace: TraceRecorder? = nil,
    _ body: (RunningServer) async throws -> Output
) async throws -> Output {
    try await withThumbnailResponder(configuration, recordingTo: trace) { server in
        try await server.withListener(answering: server, body)
    }
}

/// Runs `body` with what answers requests for thumbnails, for those who have a listener to call it, and returns when all of its
/// tasks, threads and files are closed.
///
/// - Parameters:
///   - configuration: what it serves, and within which limits.
///   - trace: takes the spans of its work, if somebody wants them.
///   - body: lets it answer, see ``ThumbnailServer/withListener(answering:_:)``.
/// - Returns: what `body` returns.
/// - Throws: as ``withThumbnailServer(_:recordingTo:_:)``.
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
