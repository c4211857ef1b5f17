import Calotype
import CalotypeCodec
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP

/// `calotype info`: shows an image's format, dimensions and metadata.
enum InfoCommand {
    private static let json = Flag(
        "json",
        """
        Print one JSON object per line, for programs, also for images that fail: these have a code and a \
        message instead of null.
        """
    )

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
            "FILE can be - for standard input, or a named pipe.",
        ],
        operands: .init("FILE|URL...", count: 1...1_000_000),
        groups: [
            .init("Output", [json]), .init("Network", [AddressOptions.allByDefault] + NetworkOptions.all),
            CacheOptions.group,
        ],
        exclusive: CacheOptions.exclusive,
        examples: [
            .init("Show some files", "calotype info holiday/*.jpg"),
            .init("Show an image on the web", "calotype info https://example.com/photo.webp"),
            .init(
                "List the images that are wider than 4000 pixels",
                "calotype info --json holiday/*.jpg | jq -r 'select(.width > 4000).name'"
            ),
            .init("List the formats that can be read and written here", "calotype info formats"),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        if arguments.operands == ["formats"] { return try showFormats(asJSON: arguments[json]) }
        let configuration = try configuration(arguments)
        return try await withInterruption {
            try await withImagePipeline(configuration) { pipeline in
                try await show(arguments, pipeline)
            }
        }.result
    }

    /// Prints what is known about each source, and returns the exit code.
    private static func show(
        _ arguments: ParsedArguments,
        _ pipeline: ImagePipeline
    ) async throws -> Int32 {
        var failures = 0
        for operand in arguments.operands {
            let name = ImageSource.shownName(operand: operand)
            do {
                var request = ImageRequest(try await ImageSource.named(operand))
                let isOnNetwork = ImageSource.isOnNetwork(operand: operand)
                request.cachePolicy = isOnNetwork ? CacheOptions.policy(arguments) : .use
                let info = try await pipeline.info(for: request)
                let text = arguments[json] ? line(name, info) : page(name, info)
                try TerminalOutput.standardOutput.write(text)
            } catch let error as CalotypeError {
                failures += 1
                if arguments[json] { try TerminalOutput.standardOutput.write(line(name, nil, error)) }
                Main.complain("calotype info: \(name): \(error.code): \(error.message)\n")
            }
        }
        return failures == 0 ? 0 : failures == arguments.operands.count ? 3 : 1
    }

    private static func configuration(
        _ arguments: ParsedArguments
    ) throws(UsageError) -> PipelineConfiguration {
        var configuration = try NetworkOptions.configuration(arguments)
        configuration.addressPolicy = AddressOptions.policy(arguments) ?? .allPrivate
        guard arguments.operands.contains(where: ImageSource.isOnNetwork) else { return configuration }
        configuration.stores = .sources
        configuration.diskCache = CacheOptions.cache(arguments) {
            Main.complain("calotype info: cache: \($0)\n")
        }
        return configuration
    }

    private static func showFormats(asJSON: Bool) throws -> Int32 {
        let output = TerminalOutput.standardOutput
        if asJSON {
            for support in FormatSupport.all {
                var object = JSONObject()
                object.add("format", string: support.format.rawValue)
                object.add("reader", string: support.reader)
                object.add("needs_worker", support.needsWorker)
                object.add("writer", string: support.writer)
                try output.write(object.text + "\n")
            }
            return 0
        }
        var table = TextTable([.init("Format"), .init("Read by"), .init("Written by")])
        for support in FormatSupport.all {
            let reader = support.reader.map { support.needsWorker ? "\($0), in worker processes" : $0 }
            table.add([support.format.name, reader ?? "no", support.writer ?? "no"])
        }
        let lines = table.lines(width: output.isTerminal ? output.columns : nil)
        try output.write(lines.map { $0 + "\n" }.joined())
        return 0
    }

    /// One JSON object on one line, with the same members for images and for failures.
    private static func line(_ name: String, _ info: SourceInfo?, _ error: CalotypeError? = nil) -> String {
        let facts = info?.facts
        var object = JSONObject()
        object.add("name", string: name)
        object.add("code", string: error?.code.rawValue)
        object.add("message", string: error?.message)
        object.add("format", string: facts?.format.rawValue)
        object.add("progressive", facts.map { $0.needsWholePicture && $0.format == .jpeg })
        object.add("width", facts?.size.width)
        object.add("height", facts?.size.height)
        object.add("orientation", facts?.orientation)
        object.add("frames", facts?.frames)
        object.add("bits", facts?.bitDepth)
        object.add("alpha", facts?.hasAlpha)
        object.add("profile", string: facts?.profile)
        object.add("bytes", info?.bytes.bytes)
        return object.text + "\n"
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
