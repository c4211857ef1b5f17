import CalotypeCommandLineKit
import Testing

struct CompletionTests {
    private func shown(_ arguments: [String]) throws -> String {
        guard case .show(let text) = try Sample.program.parse(arguments) else {
            throw UsageError("nothing is shown", program: "sample")
        }
        return text
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `a completion script has each option and the words of its value`(_ shell: String) throws {
        let script = try shown(["help", "--completion", shell])
        for option in Sample.get.groups.flatMap({ $0.options.map(\.spec) }) {
            #expect(script.contains(option.name), "\(option.name)")
        }
        #expect(script.contains("jpeg png webp"))
        #expect(script.contains("'\"'\"'") == (shell != "bash"))
    }

    @Test(arguments: [["help", "--completion"], ["help", "--completion", "csh"]])
    func `an unknown shell is refused with the known ones`(_ arguments: [String]) {
        let error = #expect(throws: UsageError.self) { try Sample.program.parse(arguments) }
        #expect(error?.message == "help --completion needs one of bash, zsh, fish")
    }

    @Test func `each command has its own manual page`() throws {
        let page = try shown(["help", "get", "--roff"])
        #expect(page.hasPrefix(".TH SAMPLE\\-GET 1"))
        #expect(page.contains("sample\\-get \\- get pictures") && page.contains(".B \\-o, \\-\\-output DIR"))
        #expect(page.contains("\\&.A dot comes first.") && page.contains(".SH EXAMPLES"))
    }
}
