import CalotypeCommandLineKit
import Testing

struct HelpTests {
    private func shown(_ arguments: [String], columns: Int = 80) throws -> String {
        guard case .show(let text) = try Sample.program.parse(arguments, columns: columns) else {
            throw UsageError("nothing is shown for \(arguments)", program: "test")
        }
        return text
    }

    @Test(arguments: [40, 60, 80, 100, 300])
    func `help stays within the terminal, up to 100 columns`(_ columns: Int) throws {
        let text = try shown(["get", "--help"], columns: columns)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= min(columns, 100) })
        for word in [
            "Usage:", "-o, --output DIR", "--format jpeg|png|webp", "Default: 82.",
            "Exit codes:",
        ] {
            #expect(text.contains(word))
        }
    }

    @Test func `a long example continues on the next line, and quoted text is never divided`() throws {
        let line = "get -o out --header 'Accept: image/webp' list.txt"
        #expect(
            TextWrap.wrapCommand(line, width: 36, indent: 2)
                == "  get -o out --header \\\n    'Accept: image/webp' list.txt"
        )
        #expect(TextWrap.wrapCommand(line, width: 80, indent: 2) == "  " + line)
    }

    @Test func `help is shown whatever else is wrong`() throws {
        for arguments in [["get", "--quality=3", "-h"], ["help", "get"], ["get", "-qh"]] {
            #expect(try shown(arguments).hasPrefix("sample get: get pictures\n"))
        }
    }

    @Test func `the program lists its commands and shows its version`() throws {
        #expect(try shown(["--help"]).contains("  get  Get pictures."))
        #expect(try shown(["--version"]) == "sample 1.2.3\n")
    }

    @Test func `a command's own exit codes replace those of the program in its help`() throws {
        let own = "  0  All fine.\n  1  Some are missing.\n  2  The list is wrong.\n"
        #expect(try shown(["get", "--help"]).hasSuffix("\nExit codes:\n" + own))
        let all = "  1 (get)  Some are missing.\n  2        Usage.\n  2 (get)  The list is wrong.\n"
        #expect(try shown(["--help"]).contains(all))
        let page = try shown(["help", "get", "--roff"])
        #expect(page.contains("The list is wrong.") && !page.contains("Usage."))
    }

    @Test func `the manual page has every option and no stray request`() throws {
        let page = try shown(["help", "--roff"])
        let requests: Set<Substring> = [
            ".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".I", ".br", ".nf", ".fi", ".RS", ".RE",
        ]
        for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains(line.prefix { $0 != " " }), "\(line)")
        }
        #expect(page.contains(".B \\-o, \\-\\-output DIR"))
        #expect(page.contains("back\\eslashes"))
        #expect(page.contains("\\&.A dot comes first."))
    }
}
