import CalotypeCommandLineKit
import Testing

struct ParsingTests {
    @Test(arguments: [
        (["--output", "x", "a"], "x"), (["--output=x", "a"], "x"), (["-o", "x", "a"], "x"),
        (["-ox", "a"], "x"),
        (["--output=", "a"], nil), (["a", "--output=x=y"], "x=y"), (["-qox", "a"], "x"),
        (["-o", "x", "--output", "y", "a"], "y"),
    ])
    func `a value is taken in every spelling, the last one wins`(
        _ arguments: [String],
        _ expected: String?
    ) throws {
        guard let expected else {
            #expect(throws: UsageError.self) { try Sample.run(arguments) }
            return
        }
        #expect(try Sample.run(arguments)[Sample.output] == expected)
    }

    @Test(arguments: [
        (["--widen", "a"], [5], ["a"]), (["--widen=7", "a"], [7], ["a"]),
        (["--widen", "7", "a"], [7], ["a"]),
        (["--widen", "10", "a"], [5], ["10", "a"]), (["a", "--widen"], [5], ["a"]),
        (["--widen", "-q", "a"], [5], ["a"]), (["--widen", "--", "7"], [5], ["7"]),
        (["--widen", "--widen=2", "a"], [5, 2], ["a"]),
    ])
    func `an option with an optional value takes only what can be one`(
        _ arguments: [String],
        _ values: [Int],
        _ operands: [String]
    ) throws {
        let parsed = try Sample.run(["-ox"] + arguments)
        #expect(parsed.all(Sample.widen) == values)
        #expect(parsed.operands == operands)
    }

    @Test func `options and operands may be mixed, and two dashes end the options`() throws {
        let parsed = try Sample.run(["a", "-q", "-o", "x", "--", "--quiet", "-"])
        #expect(parsed.operands == ["a", "--quiet", "-"])
        #expect(parsed[Sample.quiet])
    }

    @Test func `a single dash is an operand`() throws {
        #expect(try Sample.run(["-", "-ox"]).operands == ["-"])
    }

    @Test func `every value of a repeated option is kept in order`() throws {
        let parsed = try Sample.run(["-ox", "--header", "A: 1", "--header=B: 2", "a"])
        #expect(parsed.all(Sample.header) == ["A: 1", "B: 2"])
    }

    @Test func `typed values arrive as values`() throws {
        let parsed = try Sample.run([
            "-ox", "--fit=640x480", "--timeout", "1.5", "--quality=7", "--format", "png", "a",
        ])
        #expect(parsed[Sample.fit] == Dimensions(width: 640, height: 480))
        #expect(parsed[Sample.timeout] == .milliseconds(1500))
        #expect(parsed[Sample.quality] == 7)
        #expect(parsed[Sample.format] == .png)
    }

    @Test(arguments: [
        ("5", 5000), ("5s", 5000), ("0.5", 500), ("500ms", 500), ("2m", 120_000), ("1.5m", 90_000),
        ("0.1s", 100),
    ])
    func `a time is a number with a unit, or of seconds`(_ text: String, _ milliseconds: Int) throws {
        let parsed = try Sample.run(["-ox", "--timeout", text, "a"])
        #expect(parsed[Sample.timeout] == .milliseconds(milliseconds))
    }

    @Test(arguments: ["", "s", "ms", "5 s", "5h", "5S", "5sm", "99ms", "61m", "-1s", "nans", "infm", "5mss"])
    func `what is no time, or too short or long, is an error`(_ text: String) {
        #expect(throws: UsageError.self) { try Sample.run(["-ox", "--timeout=\(text)", "a"]) }
    }

    @Test(arguments: [
        ("0", 0), ("1048576", 1_048_576), ("12b", 12), ("500M", 500_000_000), ("500mb", 500_000_000),
        ("500MiB", 524_288_000), ("1G", 1_000_000_000), ("1GiB", 1_073_741_824), ("1.5k", 1_500),
        ("0.5KiB", 512), ("2T", 2_000_000_000_000), ("8388607TiB", 9_223_370_937_343_148_032),
    ])
    func `a size is a number with a decimal or a binary unit`(_ text: String, _ bytes: Int) throws {
        #expect(try Sample.run(["-ox", "--most", text, "a"])[Sample.most] == ByteSize(bytes))
    }

    @Test(arguments: [
        "", "M", "-1", "1.5", "1.5b", "1.", ".5G", "1..5G", "1 G", "1X", "1GG", "1ib", "1Kb2", "9999999T",
        "1e3",
        "٣M", "8388608TiB", "nan", "9.9e99G",
    ])
    func `what is no size is an error`(_ text: String) {
        let error = #expect(throws: UsageError.self) { try Sample.run(["-ox", "--most=\(text)", "a"]) }
        #expect(error?.message == "--most '\(text)' is not a number of bytes such as 500M, 1.5G or 1GiB")
    }

    @Test(arguments: [
        (["--ouput", "x"], "unknown option --ouput; did you mean --output?"),
        (["-output", "a"], nil),
        (["-fit", "x"], "unknown option -fit; did you mean --fit?"),
        (["--xyzzy"], "unknown option --xyzzy"),
        (["--format", "jpg", "a"], "--format 'jpg' is not one of jpeg, png, webp; did you mean jpeg?"),
        (["--quality", "0", "a"], "--quality '0' is not a whole number, 1 to 100"),
        (
            ["--quality", "99999999999999999999", "a"],
            "--quality '99999999999999999999' is not a whole number, 1 to 100"
        ),
        (
            ["--timeout", "nan", "a"],
            "--timeout 'nan' is not a time such as 5s, 500ms or 2m, 0.1 to 3600 seconds"
        ),
        (["--fit", "640", "a"], "--fit '640' is not a size such as 256x256, each side 1 to 65535"),
        (["--fit", "0x5", "a"], "--fit '0x5' is not a size such as 256x256, each side 1 to 65535"),
        (["--quiet=yes"], "--quiet takes no value"),
        (["--widen=10", "a"], "--widen '10' is not a whole number, 1 to 9"),
        (["a", "--output"], "--output needs a value, DIR"),
        (["--output", "x"], "LIST|URL... is missing"),
        (["a"], "--output DIR is missing"),
        (["-ox", "--size=3", "--fit=1x1", "a"], "--fit and --size exclude each other"),
        (["-ox", "a", "b", "c", "d"], "unexpected argument 'd'"),
        (["-z"], "unknown option -z"),
    ])
    func `for a wrong argument, the error says what is right`(
        _ arguments: [String],
        _ message: String?
    ) throws {
        do {
            _ = try Sample.run(arguments)
            #expect(message == nil)
        } catch let error as UsageError {
            #expect(error.message == message)
            #expect(error.description.contains("Try 'sample get --help'."))
            #expect(error.description.split(separator: "\n").count == 2)
        }
    }

    @Test(arguments: [
        (["gte"], "unknown command gte; did you mean get?"),
        (["--verson"], "unknown option --verson; did you mean --version?"),
        ([], "a command is missing"), (["help", "gett"], "unknown command gett; did you mean get?"),
    ])
    func `a wrong command names the nearest`(_ arguments: [String], _ message: String) {
        let error = #expect(throws: UsageError.self) { try Sample.program.parse(arguments) }
        #expect(error?.message == message)
    }

    @Test func `a hostile argument is only an error`() {
        let long = String(repeating: "é", count: 100_000)
        for argument in ["--" + long, "-" + long, long, "--=", "---", "--\u{0}"] {
            #expect(throws: UsageError.self) { try Sample.run([argument]) }
        }
    }
}
