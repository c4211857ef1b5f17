import Calotype
import CalotypeBulk
import CalotypeCatalog
import CalotypeCodec
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import CalotypeTerminal
import TaskFlow

/// `calotype wall`: shows a scrolling wall of thumbnails in the terminal.
enum WallCommand {
    private static let apps = Option(
        "apps",
        .text("TERM"),
        "Show the icons of the apps that the App Store finds for these words."
    )
    private static let album = Option(
        "album",
        .integer(1...Int.max, placeholder: "ID"),
        "Show the photos of this album."
    )
    private static let cell = Option(
        "cell",
        .dimensions(2...500),
        default: "16x7",
        "Approximate size of an image in columns and lines of characters; the screen is divided evenly."
    )
    /// Maximum number of entries in a list; each takes a few hundred bytes.
    private static let limit = 100_000

    static let command = Command(
        "wall",
        summary: "show a list, an album or an app search as a wall of thumbnails in the terminal",
        discussion: [
            """
            LIST is the same as for fetch: a text file with one URL per line, or - for standard input. You \
            can also give URLs, and mix both. Images that scroll off screen stop loading; images that scroll back appear \
            immediately.
            """,
            """
            Arrow keys or h j k l move, Enter opens, Escape goes back, / searches the App Store, r retries \
            what failed, ? shows all keys, q quits. The last line counts the images that are loading, \
            loaded, from memory, from disk, cancelled and failed.
            """,
        ],
        operands: .init("LIST|URL...", count: 0...1_000_000),
        groups: [
            .init("Other sources", [apps, album]),
            .init("Screen", [PictureDisplayOptions.pictures, cell]),
            .init("App Store", [CatalogOptions.country, CatalogOptions.limit, CatalogOptions.language]),
            CatalogOptions.network, CacheOptions.group,
        ],
        exclusive: CacheOptions.exclusive + [[apps.spec.name, album.spec.name]],
        examples: [
            .init("Show a list", "calotype wall urls.txt"),
            .init("Show an App Store search", "calotype wall --apps camera --country de"),
            .init(
                "Work without the internet",
                "calotype wall --apps photo --api http://127.0.0.1:8080 --allow-private"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let (run, tally, notices) = (
            CatalogRun(command: command.name, arguments: arguments), WallTally(), Guarded<[String]>([])
        )
        var configuration = try run.loading()
        configuration.observer = { tally.note($0) }
        // A key press must never wait; an image may.
        configuration.codec.niceness = 10
        // While the wall has the screen, nothing else may write to it.
        configuration.diskCache?.onNotice = { text in
            notices.withLock { if $0.count < 20 { $0.append(text) } }
        }
        defer { for notice in notices.withLock({ $0 }) { run.complain("cache: \(notice)") } }
        return try await run.run(with: configuration) { catalog, pipeline in
            try await show(arguments, run, catalog, pipeline, tally)
        }
    }

    private static func show(
        _ arguments: ParsedArguments,
        _ run: CatalogRun,
        _ catalog: Catalog,
        _ pipeline: ImagePipeline,
        _ tally: WallTally
    ) async throws -> Int32 {
        let source = try await source(arguments)
        let options = options(arguments)
        let style = PictureDisplayOptions.style(arguments, on: .standardOutput)
        do {
            try await withPictureDrawing(style) { drawing in
                try await withKeyboard { input in
                    try await withTerminal(input: input) { session in
                        try await runWall(
                            source,
                            on: session,
                            pipeline: pipeline,
                            catalog: catalog,
                            drawing: drawing,
                            tally: tally,
                            options: options
                        )
                    }
                }
            }
            return 0
        } catch let error as CalotypeError where [.noTerminal, .drawingUnavailable].contains(error.code) {
            run.complain(error.message)
            return UsageError.exitCode
        }
    }

    private static func source(_ arguments: ParsedArguments) async throws -> WallSource {
        let others =
            arguments[apps].map { WallSource.search(CatalogOptions.query($0, arguments)) }
            ?? arguments[album].map { .album($0) }
        guard let source = others else {
            guard let name = arguments.operands.first else {
                throw error("LIST|URL... is missing; or name a source with --apps or --album")
            }
            let items = try await ListSource(operands: arguments.operands).entries(limit: limit)
            let title = name == "-" ? "Standard input" : name.contains("://") ? "Pictures" : name
            let urls = items.map(\.url)
            let pictures = zip(urls, PictureTitles.titles(of: urls)).map {
                CatalogPicture(url: $0, title: $1)
            }
            return .pictures(title: title, pictures)
        }
        guard let operand = arguments.operands.first else { return source }
        throw error("'\(operand)' and --apps or --album are two sources; give only one")
    }

    private static func options(_ arguments: ParsedArguments) -> WallOptions {
        var options = WallOptions()
        options.cachePolicy = CacheOptions.policy(arguments)
        options.query = CatalogOptions.query("", arguments)
        if let cell = arguments[cell] { options.cell = WallCellSize(columns: cell.width, rows: cell.height) }
        return options
    }

    /// Runs `body` with the keyboard's descriptor: standard input, or the terminal itself if standard input
    /// is the list.
    private static func withKeyboard(_ body: (Int32) async throws -> Void) async throws {
        guard isatty(STDIN_FILENO) == 0 else { return try await body(STDIN_FILENO) }
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        defer { if terminal >= 0 { close(terminal) } }
        try await body(terminal < 0 ? STDIN_FILENO : terminal)
    }

    private static func error(_ message: String) -> UsageError {
        UsageError(message, program: CalotypeProgram.program.name, command: command.name)
    }
}

/// The option for showing images in the terminal, which several commands share.
enum PictureDisplayOptions {
    static let pictures = Option(
        "pictures",
        .cases as ValueType<PictureStyle.Choice>,
        default: "auto",
        """
        How to show images in the terminal: with kitty's protocol, as sixels, as coloured characters, or not \
        at all. auto chooses the best that the terminal is known to support, and none if libchafa is \
        missing.
        """
    )

    static func style(_ arguments: ParsedArguments, on output: TerminalOutput) -> PictureStyle {
        guard output.isTerminal else { return .none }
        return .chosen(
            arguments[pictures] ?? .auto,
            environment: EnvironmentVariables.all,
            isTerminal: output.isTerminal
        )
    }
}
