import Calotype
import CalotypeCodec
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeHTTP

/// `calotype info`: shows an image's format, dimensions and metadata.
enum InfoCommand {
    static let command = Command(
        "info",
        summary: "show an image's format, dimensions and metadata",
        discussion: [
            """
            Reads the headers of files and URLs; nothing is decoded. The dimensions are those of the upright \
            image. If the image is stored in another orientation, the command shows that too.
            """,
            """
            "calotype info formats" lists the formats that this machine can read and write, and the libraries \
            that do it. A file with that name is ./formats.
            """,
        ],
        operands: .init("FILE|URL...", count: 1...1_000_000),
        groups: [.init("Network", [AddressOptions.allByDefault] + NetworkOptions.all), CacheOptions.group],
        exclusive: CacheOptions.exclusive,
        examples: [
            .init("Show some files", "calotype info holiday/*.jpg"),
            .init("Show an image on the web", "calotype info https://example.com/photo.webp"),
            .init("List the formats that can be read and written here", "calotype info formats"),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        if arguments.operands == ["formats"] { return try showFormats() }
        let sources = arguments.operands.map { ImageSource(operand: $0) }
        let configuration = try configuration(arguments, sources)
        return try await withInterruption {
            try await withImagePipeline(configuration) { pipeline in
                try await show(sources, arguments, pipeline)
            }
        }.result
    }

    /// Prints what is known about each source, and returns the exit code.
    private static func show(
        _ sources: [ImageSource],
        _ arguments: ParsedArguments,
        _ pipeline: ImagePipeline
    ) async throws -> Int32 {
        var failures = 0
        for (operand, source) in zip(arguments.operands, sources) {
            let name = ImageSource.shownName(operand: operand)
            do {
                var request = ImageRequest(source)
                request.cachePolicy = isOnNetwork(source) ? CacheOptions.policy(arguments) : .use
                let info = try await pipeline.info(for: request)
                try TerminalOutput.standardOutput.write(page(name, info))
            } catch let error as CalotypeError {
                failures += 1
                Main.complain("calotype info: \(name): \(error.code): \(error.message)\n")
            }
        }
        return failures == 0 ? 0 : failures == sources.count ? 3 : 1
    }

    private static func configuration(
        _ arguments: ParsedArguments,
        _ sources: [ImageSource]
    ) throws(UsageError) -> PipelineConfiguration {
        var configuration = try NetworkOptions.configuration(arguments)
        configuration.addressPolicy = AddressOptions.policy(arguments) ?? .allPrivate
        guard sources.contains(where: isOnNetwork) else { return configuration }
        configuration.stores = .sources
        configuration.diskCache = CacheOptions.cache(arguments) {
            Main.complain("calotype info: cache: \($0)\n")
        }
        return configuration
    }

    private static func isOnNetwork(_ source: ImageSource) -> Bool {
        if case .url = source { true } else { false }
    }

    private static func showFormats() throws -> Int32 {
        var table = TextTable([.init("Format"), .init("Read by"), .init("Written by")])
        for support in FormatSupport.all {
            let reader = support.reader.map { support.needsWorker ? "\($0), in worker processes" : $0 }
            table.add([support.format.name, reader ?? "no", support.writer ?? "no"])
        }
        let output = TerminalOutput.standardOutput
        let lines = table.lines(width: output.isTerminal ? output.columns : nil)
        try output.write(lines.map { $0 + "\n" }.joined())
        return 0
    }

    private static func page(_ name: String, _ info: SourceInfo) -> String {
        let facts = info.facts
        let rows = [
            (
                "format",
                facts.format.rawValue
                    + (facts.needsWholePicture && facts.format == .jpeg ? ", progressive" : "")
            ),
            ("size", "\(facts.size), \(megapixels(facts.size.pixelCount)) megapixels"),
            ("orientation", orientation(facts)),
            ("frames", facts.frames.map(String.init) ?? "unknown"),
            ("channels", "\(facts.bitDepth) bits" + (facts.hasAlpha ? ", with alpha" : "")),
            ("profile", facts.profile ?? "none"),
            ("bytes", info.bytes.bytes < 1000 ? "\(info.bytes)" : "\(info.bytes) (\(info.bytes.bytes))"),
        ]
        return name + "\n"
            + rows.map { "  \($0.0)\(String(repeating: " ", count: 13 - $0.0.count))\($0.1)\n" }.joined()
    }

    private static func megapixels(_ pixels: Int) -> String {
        let hundredths = (pixels + 5_000) / 10_000
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }

    private static func orientation(_ facts: ImageFacts) -> String {
        facts.orientation == 1
            ? "1 (upright)" : "\(facts.orientation) (stored as \(facts.storedSize), rotated for display)"
    }
}

extension ImageSource {
    /// Creates the source that an operand names: a URL if it has a scheme, otherwise a file.
    init(operand: String) {
        self = operand.contains("://") ? .url(operand) : .file(path: operand)
    }

    /// Returns the name under which a command reports the source `operand`.
    static func shownName(operand: String) -> String {
        operand.contains("://") ? URLCredentials.removed(from: operand) : operand
    }
}
