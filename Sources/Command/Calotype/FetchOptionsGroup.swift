import Calotype
import CalotypeBulk
import CalotypeCodec
import CalotypeCommandLineKit
import CalotypeHTTP
import TaskFlow

/// The options of `fetch` that are not shared with other commands, and what they mean for job and pipeline.
enum FetchOptionsGroup {
    static let folder = Option(
        "output",
        short: "o",
        .text("DIR"),
        "Output folder. Created if missing."
    )
    static let report = Option(
        "report",
        .text("FILE"),
        """
        Write one JSON object per line to this file, one for each URL, as results arrive; - is standard \
        output.
        """
    )
    static let contactSheet = Option(
        "contact-sheet",
        .text("FILE"),
        "Write a self-contained HTML page with the thumbnails and a timeline of the run."
    )
    static let trace = Option(
        "trace",
        .text("FILE"),
        "Write the spans of each image as Chrome trace-event JSON (for about:tracing or ui.perfetto.dev)."
    )
    static let output = Command.Group("Output", [folder, report, contactSheet, trace])

    static let concurrency = Option(
        "concurrency",
        .integer(1...4096),
        default: "64",
        "Maximum number of connections."
    )
    static let perHost = Option(
        "per-host",
        .integer(1...4096),
        default: "8",
        "Maximum number of connections to one host."
    )
    static let allowPrivate = Flag(
        "allow-private",
        "Allow loopback, private and other addresses that are not on the public internet."
    )
    static let network = Command.Group("Network", [concurrency, perHost, allowPrivate] + NetworkOptions.all)

    static let order = Option(
        "order",
        .cases as ValueType<FetchOptions.Order>,
        default: "completion",
        "Order of the report's lines."
    )
    static let failFast = Flag("fail-fast", "Stop at the first failure.")
    static let quiet = Flag("quiet", short: "q", "Show no progress and no summary.")
    static let progress = Option(
        "progress",
        .choice(["json": ProgressLine.Style.json]),
        """
        Report everything on standard error as JSON objects, for programs: one per line, each with its \
        event, the last one with the result of the run.
        """
    )
    static let decoder = DecoderOptions(usual: .slow)
    static let run = Command.Group("Run", [order, failFast, quiet, progress, decoder.isolate])

    static func options(_ arguments: ParsedArguments, source: ListSource) -> FetchOptions {
        guard let folder = arguments[folder] else { preconditionFailure("the parser requires --output") }
        var options = FetchOptions(source: source, output: folder)
        options.transform = PictureOptions.transform(arguments)
        options.sizes = arguments[PictureOptions.sizes] ?? []
        options.formats = PictureOptions.outputs(arguments)
        options.limits = PictureOptions.limits(arguments)
        options.cachePolicy = CacheOptions.policy(arguments)
        options.order = arguments[order] ?? options.order
        options.failFast = arguments[failFast]
        options.report = arguments[report]
        options.contactSheet = arguments[contactSheet]
        options.window = FetchOptions.window(forConcurrency: arguments[concurrency] ?? 64)
        return options
    }

    static func configuration(_ arguments: ParsedArguments) -> PipelineConfiguration {
        var configuration = NetworkOptions.configuration(arguments)
        configuration.connections = arguments[concurrency] ?? configuration.connections
        configuration.connectionsPerHost = arguments[perHost] ?? configuration.connectionsPerHost
        // A list names each picture once, and its renditions go to files.
        configuration.memoryCache = .none
        configuration.addressPolicy = arguments[allowPrivate] ? .any : .publicOnly
        decoder.apply(arguments, to: &configuration)
        return configuration
    }

    /// Whether standard error is for programs.
    static func isForPrograms(_ arguments: ParsedArguments) -> Bool { arguments[progress] == .json }

    static func progressStyle(_ arguments: ParsedArguments) -> ProgressLine.Style? {
        arguments[quiet] ? .silent : arguments[progress]
    }
}
