import CalotypeCommandLineKit
import Testing

struct ListValueTests {
    private static let sizes = Option("sizes", .list(.integer(1...65_535), atMost: 4), "Sizes.")
    private static let formats = Option(
        "format",
        .list(.cases as ValueType<Sample.Format>, atMost: 3),
        "Formats."
    )

    private static func parse(_ arguments: [String]) throws -> ParsedArguments {
        let command = Command(
            "get",
            summary: "get",
            operands: .init("URL", count: 0...1),
            groups: [.init("Output", [sizes, formats])]
        )
        let program = Program("sample", version: "1", summary: "x", commands: [command], exitCodes: [])
        guard case .run("get", let parsed) = try program.parse(["get"] + arguments) else {
            throw UsageError("not a run", program: "test")
        }
        return parsed
    }

    @Test(arguments: [("256", [256]), ("512,256", [512, 256]), ("1,2,3,65535", [1, 2, 3, 65_535])])
    func `values stay in the order given`(_ text: String, _ values: [Int]) throws {
        #expect(try Self.parse(["--sizes", text])[Self.sizes] == values)
    }

    @Test func `words are taken as they are without a list`() throws {
        #expect(try Self.parse(["--format", "webp,jpeg"])[Self.formats] == [.webp, .jpeg])
        #expect(try Self.parse(["--format=png"])[Self.formats] == [.png])
    }

    @Test(arguments: [
        ("0", "is not a whole number, 1 to 65535"), ("abc", "is not a whole number, 1 to 65535"),
        ("", "is not a whole number, 1 to 65535"), ("256,256", "has '256' twice"),
        ("256,0256", "has '0256' twice"), ("1,2,3,4,5", "has 5 values, and at most 4 are allowed"),
        ("256,", "has nothing before or after a comma"), (",256", "has nothing before or after a comma"),
        ("256,abc", "has 'abc', which is not a whole number, 1 to 65535"),
        ("256, 512", "has ' 512', which is not a whole number, 1 to 65535"),
    ])
    func `what is no list of sizes is an error that names the part`(_ text: String, _ problem: String) {
        let error = #expect(throws: UsageError.self) { try Self.parse(["--sizes=\(text)"]) }
        #expect(error?.message == "--sizes '\(text)' \(problem)")
    }

    @Test func `a word that is not known is named with the nearest`() {
        let error = #expect(throws: UsageError.self) { try Self.parse(["--format", "jpg,webp"]) }
        let all = "jpeg, png, webp"
        #expect(
            error?.message
                == "--format 'jpg,webp' has 'jpg', which is not one of \(all); did you mean jpeg?"
        )
    }
}
