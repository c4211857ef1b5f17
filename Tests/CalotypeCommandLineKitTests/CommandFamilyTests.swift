import CalotypeCommandLineKit
import Testing

struct CommandFamilyTests {
    private static let program = Program(
        "sample",
        version: "1",
        summary: "pictures for tests",
        commands: [
            Command("get", summary: "get pictures"),
            Command("apps search", summary: "find apps", operands: .init("TERM", count: 1...1)),
            Command("apps show", summary: "show an app"),
            Command("send", summary: "send a picture", operands: .init("FILE", count: 0...1)),
            Command("send list", summary: "list what was sent"),
        ]
    )

    @Test func `a command may have two words`() throws {
        guard case .run("apps search", let parsed) = try Self.program.parse(["apps", "search", "camera"])
        else {
            return #expect(Bool(false), "not a run of apps search")
        }
        #expect(parsed.operands == ["camera"])
    }

    @Test(arguments: [
        (["apps"], "the word after apps is missing; use search or show"),
        (["apps", "--json"], "the word after apps is missing; use search or show"),
        (["apps", "serch"], "unknown command apps serch; did you mean search?"),
        (["apps", "xyzzy"], "unknown command apps xyzzy; use search or show"),
        (["aps"], "unknown command aps; did you mean apps?"),
        (["apps search"], "unknown command apps search"),
    ])
    func `for an unknown command of a family, the error lists the known ones`(
        _ arguments: [String],
        _ message: String
    ) {
        let error = #expect(throws: UsageError.self) { try Self.program.parse(arguments) }
        #expect(error?.message == message)
    }

    @Test(arguments: [["apps", "--help"], ["apps", "-h"], ["help", "apps"]])
    func `help of the first word lists the commands of the family`(_ arguments: [String]) throws {
        guard case .show(let text) = try Self.program.parse(arguments) else {
            return #expect(Bool(false), "no help")
        }
        #expect(text.contains("  apps search  Find apps."))
        #expect(!text.contains("Get pictures"))
    }

    @Test(arguments: [["apps", "show", "--help"], ["help", "apps", "show"]])
    func `each command of a family has its own help`(_ arguments: [String]) throws {
        guard case .show(let text) = try Self.program.parse(arguments) else {
            return #expect(Bool(false), "no help")
        }
        #expect(text.hasPrefix("sample apps show: show an app\n"))
    }

    @Test(arguments: [
        (["send"], "send", []), (["send", "a.jpg"], "send", ["a.jpg"]), (["send", "list"], "send list", []),
        (["send", "./list"], "send", ["./list"]),
    ]) func `a command may itself be the first word of others`(
        _ arguments: [String],
        _ name: String,
        _ operands: [String]
    ) throws {
        guard case .run(let command, let parsed) = try Self.program.parse(arguments) else {
            return #expect(Bool(false), "not a run")
        }
        #expect(command == name && parsed.operands == operands)
    }

    @Test(arguments: [["send", "--help"], ["help", "send"]])
    func `the help of such a command names those others`(_ arguments: [String]) throws {
        guard case .show(let text) = try Self.program.parse(arguments) else {
            return #expect(Bool(false), "no help")
        }
        #expect(text.hasPrefix("sample send: send a picture\n"))
        #expect(text.contains("\nCommands:\n  send list  List what was sent.\n"))
    }
}
