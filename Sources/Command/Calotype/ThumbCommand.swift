import Calotype
import CalotypeBulk
import CalotypeCodec
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP

/// `calotype thumb`: resizes or converts one image.
enum ThumbCommand {
    private static let output = Option(
        "output",
        short: "o",
        .text("FILE"),
        """
        Output file, or - for standard output. Its extension determines the format: .jpg, .png, .webp, .avif, \
        .gif, .tiff, .heic or .jxl. Any other extension needs --format. Without an extension, the image is a JPEG.
        """
    )

    static let command = Command(
        "thumb",
        summary: "resize or convert one image",
        discussion: [
            """
            The result is upright, in sRGB and without metadata. It is enlarged only with --enlarge. The \
            file appears when it is complete. A symbolic link is followed; a device or a FIFO is written to.
            """,
            "FILE can be - for standard input, or a named pipe.",
        ],
        operands: .init("FILE|URL", count: 1...1),
        groups: [
            .init("Output", [output]), PictureOptions.single, EditOptions.group,
            .init("Network", [AddressOptions.allByDefault] + NetworkOptions.all),
            CacheOptions.group, .init("Run", [DecoderOptions.isolate]),
        ],
        required: [output.spec.name],
        exclusive: PictureOptions.exclusive + CacheOptions.exclusive,
        examples: [
            .init("Make a thumbnail", "calotype thumb photo.heic -o photo.jpg --size 256"),
            .init(
                "Make a square from an image on the web",
                "calotype thumb https://example.com/a.png -o a.webp --fill 512x512"
            ),
            .init(
                "Keep what draws the eye, in at most 20 kB",
                "calotype thumb photo.jpg -o card.webp --fill 400x300 --gravity smart --max-bytes 20k"
            ),
            .init(
                "Read and write pipes",
                "curl -s https://example.com/a.png | calotype thumb - -o - --size 256 > a.jpg"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        guard let operand = arguments.operands.first, let path = arguments[output] else {
            preconditionFailure("the parser lets no call without operand and output pass")
        }
        let name = ImageSource.shownName(operand: operand)
        let output = try PictureOptions.output(arguments, path: path, command: command.name)
        let limits = PictureOptions.limits(arguments)
        let configuration = try configuration(arguments, operand)
        do {
            let interrupted = try await withInterruption {
                var request = ImageRequest(
                    try await ImageSource.named(operand, limits: limits),
                    PictureOptions.transform(arguments),
                    output
                )
                request.limits = limits
                request.cachePolicy = CacheOptions.policy(arguments)
                return try await withImagePipeline(configuration) { [request] pipeline in
                    try await pipeline.rendition(for: request)
                }
            }
            try interrupted.result.writeOut(to: path)
            if interrupted.result.isPartial {
                Main.complain(
                    "calotype thumb: \(name): the file ends early; part of the image is missing\n"
                )
            }
            return 0
        } catch let error as CalotypeError {
            Main.complain("calotype thumb: \(name): \(error.code): \(error.message)\n")
            return 3
        }
    }

    private static func configuration(
        _ arguments: ParsedArguments,
        _ operand: String
    ) throws(UsageError) -> PipelineConfiguration {
        var configuration = try NetworkOptions.configuration(arguments)
        configuration.addressPolicy = AddressOptions.policy(arguments) ?? .allPrivate
        DecoderOptions.apply(arguments, to: &configuration)
        guard ImageSource.isOnNetwork(operand: operand) else { return configuration }
        configuration.stores = [.renditions, .sources]
        configuration.diskCache = CacheOptions.cache(arguments) {
            Main.complain("calotype thumb: cache: \($0)\n")
        }
        return configuration
    }
}

extension Rendition {
    /// Writes the picture to the file at `path`, or to standard output for `-`.
    ///
    /// - Throws: `storage_failed`, also if standard output is closed, because a part of an image is useless.
    func writeOut(to path: String) throws(CalotypeError) {
        guard path == "-" else { return try write(to: path) }
        do throws(SystemError) {
            try TerminalOutput.standardOutput.write(bytes)
        } catch {
            throw CalotypeError(.storageFailed, "standard output: \(error.reason)", stage: .store)
        }
    }
}
