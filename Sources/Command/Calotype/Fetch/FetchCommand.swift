import Calotype
import CalotypeBulk
import CalotypeCatalog
import CalotypeCodec
import CalotypeCommandLineKit
import CalotypeHTTP
import CalotypePlatform
import TaskFlow

/// `calotype fetch`: downloads and resizes the images of a list into a folder.
enum FetchCommand {
    static let command = Command(
        "fetch",
        summary: "download and resize a list of images",
        discussion: [
            """
            LIST is a text file with one URL per line, or - for standard input. Blank lines and lines that \
            start with # are skipped. Spaces and non-ASCII characters in a URL are percent-encoded. The list \
            is read incrementally. You can mix several lists and URLs; their images are numbered in that order.
            """,
            """
            Images are named 000000000.jpg and so on, by the URL's position in the list. An image appears in \
            the folder only when it is complete; the folder contains nothing else. A second run with the \
            same folder skips the images that are complete and retries those that failed.
            """,
            """
            With --sizes 256,512, images are named 000000000-256.jpg and 000000000-512.jpg. With --format \
            jpeg,webp, there is one file per format. An entry is complete when all its files are there. If \
            one of them cannot be made, the entry fails. The others stay, and the next run makes all of them \
            again. The report then contains a list, renditions, instead of file, width, height and bytes.
            """,
            """
            Without a size, images keep their dimensions. Results are upright, in sRGB and without metadata. \
            They are enlarged only with --enlarge. A URL that fails does not stop the run: the report gives \
            the reason and a stable error code.
            """,
            """
            A full disk stops the run, and so does a report that nobody reads any more. Finished images are \
            kept, and the same command continues with the rest. The exit code is also not 0 if a report, \
            page or trace could not be written, or if files have disappeared by the end.
            """,
            """
            Instead of a list, images can come from the App Store (--apps), an album (--album), Robohash \
            (--robot) or any JSON document (--json-path). The response is cached until it expires. The \
            images that it names are loaded from public addresses only, like those of a list, unless you add \
            --allow-private. A response that names no images is not an error.
            """,
        ],
        operands: .init("LIST|URL...", count: 0...1_000_000),
        groups: [
            FetchSource.group, FetchOptionsGroup.output, PictureOptions.several, EditOptions.group,
            FetchOptionsGroup.network,
            MannersOptions.group,
            CacheOptions.group,
            FetchOptionsGroup.run,
        ],
        required: [FetchOptionsGroup.folder.spec.name],
        exclusive: PictureOptions.exclusive + CacheOptions.exclusive + FetchSource.exclusive + [
            ["quiet", "progress"]
        ],
        examples: [
            .init("Make thumbnails of a list", "calotype fetch urls.txt --output thumbs --size 256"),
            .init(
                "Make square WebP images, with a report and a page to look at",
                "calotype fetch urls.txt --output out --fill 512x512 --format webp "
                    + "--report report.jsonl --contact-sheet sheet.html"
            ),
            .init(
                "Make three sizes in two formats from one decode",
                "calotype fetch urls.txt --output out --sizes 320,640,1280 --format jpeg,webp"
            ),
            .init(
                "Download the icons of a search",
                "calotype fetch --apps weather --output icons --size 128"
            ),
            .init(
                "Download the images that a JSON document names",
                "calotype fetch --json-path '$.items[*].image' https://example.com/feed.json --output out"
            ),
            .init(
                "Shrink the photos in a folder",
                "find holiday -name '*.jpg' | calotype fetch - --allow-files --output small "
                    + "--size 1600"
            ),
            .init(
                "Read the list from a pipe",
                "grep -h jpg access.txt | calotype fetch - --output out --size 640"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let catalogue = CatalogRun(command: command.name, arguments: arguments)
        do {
            let source = try FetchSource(arguments)
            let formats = try PictureOptions.outputs(arguments, command: command.name)
            var services = try CatalogOptions.configuration(arguments, command: command.name)
            let trace = try arguments[FetchOptionsGroup.trace].map { path throws(BulkError) in
                try TraceFile(path: path)
            }
            let display = FetchDisplay(command.name, arguments, trace)
            var configuration = try FetchOptionsGroup.configuration(arguments)
            configuration.diskCache = CacheOptions.cache(arguments, onNotice: display.note)
            let manners = MannersOptions.manners(arguments, for: configuration)
            manners?.apply(to: &configuration)
            if source.isCatalogue { configuration.stores.insert(.documents) }
            // Like the URLs of a list, a document's URL may be private only with `--allow-private`, whatever
            // `--api` says.
            if case .json = source { services.addressPolicy = configuration.addressPolicy }
            let run = try await withInterruption(onSignal: display.interrupt) { [configuration, services] in
                try await TaskTrace.recording(to: trace?.recorder) {
                    try await withImagePipeline(configuration) { pipeline -> RunSummary? in
                        let catalog = Catalog(pipeline, services)
                        guard let list = try await source.list(catalog, catalogue) else { return nil }
                        var options = FetchOptionsGroup.options(arguments, source: list, formats: formats)
                        options.manners = manners
                        let job = FetchJob(
                            options,
                            loader: pipeline,
                            onEvent: display.show,
                            onAbandon: display.abandon
                        )
                        guard let manners else { return try await job.run() }
                        return try await manners.following(in: pipeline) { try await job.run() }
                    }
                }
            }
            guard let summary = run.result else { return 0 }
            return await display.end(summary)
        } catch is CancellationError {
            guard let interruption = Interruption.received else { throw CancellationError() }
            // No image was requested yet.
            if !arguments[FetchOptionsGroup.quiet] { catalogue.complain("interrupted") }
            return interruption.exitCode
        } catch let error as BulkError {
            catalogue.complain(error.description)
            return UsageError.exitCode
        } catch let error as CatalogError {
            catalogue.complain(error)
            return CatalogRun.exitCode(error)
        }
    }
}

/// The options that only `fetch` has, and how they set up the job and the pipeline.
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
    static let allowFiles = Flag(
        "allow-files",
        """
        The list may also have paths of files and file: URLs, one per line. Use this only for a list that you \
        trust, because it could name any file.
        """
    )
    static let network = Command.Group(
        "Network",
        [concurrency, perHost, AddressOptions.publicByDefault] + NetworkOptions.all
    )

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
    static let run = Command.Group(
        "Run",
        [allowFiles, order, failFast, quiet, progress, DecoderOptions.isolate]
    )

    static func options(
        _ arguments: ParsedArguments,
        source: ListSource,
        formats: [OutputFormat]
    ) -> FetchOptions {
        guard let folder = arguments[folder] else { preconditionFailure("the parser requires --output") }
        var options = FetchOptions(source: source, output: folder)
        options.transform = PictureOptions.transform(arguments)
        options.sizes = arguments[PictureOptions.sizes] ?? []
        options.formats = formats
        options.limits = PictureOptions.limits(arguments)
        options.allowsFiles = arguments[allowFiles]
        options.cachePolicy = CacheOptions.policy(arguments)
        options.order = arguments[order] ?? options.order
        options.failFast = arguments[failFast]
        options.report = arguments[report]
        options.contactSheet = arguments[contactSheet]
        let defaults = PipelineConfiguration()
        options.fit(
            connections: arguments[concurrency] ?? defaults.connections,
            perHost: arguments[perHost] ?? defaults.connectionsPerHost
        )
        return options
    }

    static func configuration(_ arguments: ParsedArguments) throws(UsageError) -> PipelineConfiguration {
        var configuration = try NetworkOptions.configuration(arguments)
        configuration.connections = arguments[concurrency] ?? configuration.connections
        configuration.connectionsPerHost = arguments[perHost] ?? configuration.connectionsPerHost
        // A list names each image once, and its renditions go to files.
        configuration.memoryCache = .none
        configuration.addressPolicy = AddressOptions.policy(arguments) ?? .publicOnly
        DecoderOptions.apply(arguments, to: &configuration)
        return configuration
    }

    /// Whether standard error is for programs.
    static func isForPrograms(_ arguments: ParsedArguments) -> Bool { arguments[progress] == .json }

    static func progressStyle(_ arguments: ParsedArguments) -> ProgressLine.Style? {
        arguments[quiet] ? .silent : arguments[progress]
    }
}
