import Calotype
import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeHTTP
import CalotypePlatform

/// `calotype robot`: gets the image that Robohash draws for a text.
enum RobotCommand {
    private static let output = Option(
        "output",
        short: "o",
        .text("FILE"),
        """
        Output file, or - for standard output. Its extension determines the format: png (unchanged), jpg, \
        webp or avif. Any other is refused.
        """
    )
    private static let set = Option(
        "set",
        ValueType.choice(sets).named("SET"),
        default: "robots",
        "What the image shows: robots, monsters, heads, kittens or humans, or 1 to 5 for the same."
    )
    private static let sets: KeyValuePairs<String, RobotStyle.Kind> = [
        "robots": .robots, "monsters": .monsters, "heads": .heads, "kittens": .kittens, "humans": .humans,
        "1": .robots, "2": .monsters, "3": .heads, "4": .kittens, "5": .humans,
    ]
    private static let background = Flag("background", "Add a background, which also depends on the text.")
    private static let size = Option(
        "size",
        .dimensions(1...1024),
        default: "300x300",
        "Width and height in pixels."
    )

    static let command = Command(
        "robot",
        summary: "get the Robohash image for a text",
        discussion: [
            """
            The image comes from Robohash. The same text always gets the same image, so it can stand for a \
            person or a key. TEXT is sent to that service: do not use a secret.
            """
        ],
        operands: .init("TEXT", count: 1...1),
        groups: [
            .init("Image", [output, set, background, size]),
            .init("Network", [CatalogOptions.api] + NetworkOptions.all), CacheOptions.group,
        ],
        required: [output.spec.name],
        exclusive: CacheOptions.exclusive,
        examples: [
            .init("Get a robot", "calotype robot ada@example.org -o ada.png"),
            .init(
                "Get a kitten with a background",
                "calotype robot 'kitten 7' -o kitten.png --set kittens --background"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        guard let text = arguments.operands.first, let path = arguments[output] else {
            preconditionFailure("the parser lets no call without operand and output pass")
        }
        guard path != "-" || isatty(STDOUT_FILENO) == 0 else {
            throw UsageError(
                "standard output is a terminal; name a file, or pipe the output to a program",
                program: CalotypeProgram.program.name,
                command: command.name
            )
        }
        let format = try format(of: path)
        var style = RobotStyle()
        style.kind = arguments[set]
        style.background = arguments[background] ? .any : nil
        style.size = arguments[size].map { PixelSize(width: $0.width, height: $0.height) }
        // The user chose the service, and so also its address.
        let run = CatalogRun(command: command.name, arguments: arguments, addressPolicy: .any)
        return try await run.run { [style] catalog, pipeline in
            var request = ImageRequest(try catalog.robot(text, style).url, .none, format)
            request.cachePolicy = CacheOptions.policy(arguments)
            let rendition = try await pipeline.rendition(for: request)
            try rendition.writeOut(to: path)
            return 0
        }
    }

    private static func format(of path: String) throws(UsageError) -> OutputFormat {
        guard let ending = PictureOptions.ending(of: path) else { return .original }
        switch ending {
        case "png": return .original
        case "jpg", "jpeg", "jpe", "jfif": return .jpeg
        case "webp": return .webp
        case "avif": return .avif
        default:
            let remedy = "end the name in .png, .jpg, .webp or .avif"
            throw PictureOptions.unknownEnding(ending, remedy, command.name)
        }
    }
}
