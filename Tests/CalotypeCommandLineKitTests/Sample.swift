import CalotypeCommandLineKit

/// A program with one command that uses every kind of declaration.
enum Sample {
    enum Format: String, CaseIterable, Sendable { case jpeg, png, webp }

    static let output = Option("output", short: "o", .text("DIR"), "Put the pictures into DIR.")
    static let fit = Option("fit", .dimensions(1...65_535), "Scale to fit.")
    static let size = Option("size", .integer(1...65_535), "Same as --fit NxN.")
    static let quality = Option("quality", .integer(1...100, placeholder: "Q"), default: "82", "Quality.")
    static let timeout = Option("timeout", .seconds(0.1...3600), default: "60", "Total time of one image.")
    static let format = Option("format", ValueType<Format>.cases, default: "jpeg", "What is written.")
    static let header = Option("header", .text("'K: V'"), repeats: true, "Send 'K' as header.")
    static let most = Option("most", .byteSize, "No more bytes than this.")
    static let widen = Option(
        "widen",
        .integer(1...9),
        implied: 5,
        repeats: true,
        "Widen, by 5 if nothing else is said."
    )
    static let quiet = Flag("quiet", short: "q", "Say nothing.")

    static let get = Command(
        "get",
        summary: "get pictures",
        discussion: [
            "One URL per line. .dots and 'quotes' and back\\slashes survive.", ".A dot comes first.",
        ],
        operands: .init("LIST|URL...", count: 1...3),
        groups: [
            .init("Output", [output, fit, size, quality, format]),
            .init("Network", [timeout, header, most, widen, quiet]),
        ],
        required: ["output"],
        exclusive: [["fit", "size"]],
        exitCodes: [.init("1", "Some are missing."), .init("2", "The list is wrong.")],
        examples: [.init("Thumbnails of a list", "sample get list.txt --output out --size 256")]
    )

    static let program = Program(
        "sample",
        version: "1.2.3",
        summary: "pictures for tests",
        commands: [get],
        exitCodes: [.init("0", "All fine."), .init("2", "Usage.")]
    )

    static func run(_ arguments: [String]) throws -> ParsedArguments {
        guard case .run("get", let parsed) = try program.parse(["get"] + arguments) else {
            throw UsageError("not a run", program: "test")
        }
        return parsed
    }
}
