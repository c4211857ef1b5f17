import CalotypeFiles
import CalotypePlatform

/// A program with subcommands: the declaration for parsing, help and the manual page.
public struct Program: Sendable {
    /// The action that the arguments request.
    public enum Invocation: Sendable {
        /// Run the command of this name.
        case run(command: String, arguments: ParsedArguments)
        /// Print this text on standard output and exit with 0.
        case show(String)
    }

    /// A term and its meaning, for lists such as exit codes.
    public struct Definition: Hashable, Sendable {
        /// The term.
        public let term: String
        /// The meaning.
        public let meaning: String

        /// Creates a definition.
        public init(_ term: String, _ meaning: String) {
            self.term = term
            self.meaning = meaning
        }
    }

    /// The name as typed.
    public var name: String
    /// The version, such as `0.1.0`.
    public var version: String
    /// The purpose, as a phrase without a full stop.
    public var summary: String
    /// Paragraphs for the program's help and the manual page.
    public var discussion: [String]
    /// The subcommands, in the order of help.
    ///
    /// A name can have two words; commands that share the first word are a family.
    public var commands: [Command]
    /// The exit codes, shown in the help of every command that does not define them itself.
    public var exitCodes: [Definition]
    /// The environment variables, shown in the program's help and the manual page.
    public var environment: [Definition]

    /// Declares a program.
    public init(
        _ name: String,
        version: String,
        summary: String,
        discussion: [String] = [],
        commands: [Command],
        exitCodes: [Definition] = [],
        environment: [Definition] = []
    ) {
        self.name = name
        self.version = version
        self.summary = summary
        self.discussion = discussion
        self.commands = commands
        self.exitCodes = exitCodes
        self.environment = environment
    }

    /// Parses `arguments`, which exclude the program's own name.
    ///
    /// Handles `--help`, `-h`, `help [COMMAND]`, `help [COMMAND] --roff`, `help --completion SHELL` and `--version`
    /// itself.
    ///
    /// - Parameters:
    ///   - arguments: The words typed after the program's name.
    ///   - columns: The width of the terminal; help uses at least 40 and at most 100 columns.
    /// - Returns: The command to run, or the text to show.
    /// - Throws: ``UsageError``.
    public func parse(_ arguments: [String], columns: Int = 80) throws(UsageError) -> Invocation {
        guard let first = arguments.first else {
            throw UsageError("a command is missing", program: name)
        }
        switch first {
        case "--version", "-V": return .show("\(name) \(version)\n")
        case "--help", "-h": return .show(HelpPage(columns: columns).program(self))
        case "help": return try help(arguments.dropFirst(), columns: columns)
        default: break
        }
        if arguments.count > 1, ["--help", "-h"].contains(arguments[1]), isFamilyOnly(first) {
            return .show(HelpPage(columns: columns).family(first, of: self))
        }
        let command = try command(named: arguments[...])
        let rest = Array(arguments.dropFirst(command.name.split(separator: " ").count))
        let parsed = try ArgumentParser(command: command, program: name).parse(rest)
        return parsed.asksForHelp
            ? .show(HelpPage(columns: columns).command(command, of: self))
            : .run(command: command.name, arguments: parsed)
    }

    private func help(_ topics: ArraySlice<String>, columns: Int) throws(UsageError) -> Invocation {
        let page = HelpPage(columns: columns)
        guard let topic = topics.first, topic != "--help", topic != "-h" else {
            return .show(page.program(self))
        }
        if topic == "--roff" { return .show(ManualPage(program: self).text) }
        if topic == "--completion" { return .show(try completion(for: topics.dropFirst().first)) }
        if topics.last == "--roff" {
            return .show(ManualPage(program: self).page(of: try command(named: topics.dropLast())))
        }
        if topics.count == 1, isFamilyOnly(topic) { return .show(page.family(topic, of: self)) }
        return .show(page.command(try command(named: topics), of: self))
    }

    private func completion(for name: String?) throws(UsageError) -> String {
        let shells = CompletionShell.allCases.map(\.rawValue).joined(separator: ", ")
        guard let shell = CompletionShell(rawValue: name ?? "") else {
            throw UsageError("help --completion needs one of \(shells)", program: self.name)
        }
        return Completion(program: self).script(for: shell)
    }

    /// The exit codes of the program and of its commands, which are named with theirs.
    var allExitCodes: [Definition] {
        var names: [Definition: [String]] = [:]
        for command in commands {
            for code in command.exitCodes { names[code, default: []].append(command.name) }
        }
        let own = names.map { Definition("\($0.term) (\($1.joined(separator: ", ")))", $0.meaning) }
        return Self.sorted(exitCodes + own)
    }

    /// The exit codes of `command`: its own, and those of the program for the rest.
    func exitCodes(of command: Command) -> [Definition] {
        let own = Set(command.exitCodes.map(\.term))
        return Self.sorted(exitCodes.filter { !own.contains($0.term) } + command.exitCodes)
    }

    /// Sorts codes by the number at the start of their terms, and then by the terms.
    private static func sorted(_ codes: [Definition]) -> [Definition] {
        let number = { (code: Definition) in Int(code.term.prefix(while: \.isNumber)) ?? 0 }
        return codes.sorted { (number($0), $0.term) < (number($1), $1.term) }
    }

    /// The two-word commands that begin with `word`.
    func family(_ word: String) -> [Command] {
        commands.filter { $0.name.hasPrefix(word + " ") }
    }

    /// Whether `word` begins two-word commands and is not itself a command.
    private func isFamilyOnly(_ word: String) -> Bool {
        !family(word).isEmpty && !commands.contains { $0.name == word }
    }

    /// Returns the command that `words` begin with, the longer one if two match.
    private func command(named words: ArraySlice<String>) throws(UsageError) -> Command {
        let word = words.first ?? ""
        if let second = words.dropFirst().first,
            let command = family(word).first(where: { $0.name == "\(word) \(second)" })
        {
            return command
        }
        if let command = commands.first(where: { $0.name == word && !word.contains(" ") }) { return command }
        let family = family(word)
        guard family.isEmpty else { return try command(named: words.dropFirst().first, of: family, word) }
        let kind = word.hasPrefix("-") ? "option" : "command"
        let firstWords = commands.map { String($0.name.prefix { $0 != " " }) }
        let hint = NearestName.hint(word, in: firstWords + ["help", "--help", "--version"])
        throw UsageError("unknown \(kind) \(word)\(hint)", program: name)
    }

    private func command(
        named second: String?,
        of family: [Command],
        _ first: String
    ) throws(UsageError) -> Command {
        if let second, let command = family.first(where: { $0.name == "\(first) \(second)" }) {
            return command
        }
        let words = family.map { String($0.name.dropFirst(first.count + 1)) }
        let choice = "use \(words.joined(separator: " or "))"
        guard let second, !second.hasPrefix("-") else {
            throw UsageError("the word after \(first) is missing; \(choice)", program: name, command: first)
        }
        let hint = NearestName.hint(second, in: words)
        throw UsageError(
            "unknown command \(first) \(second)\(hint.isEmpty ? "; \(choice)" : hint)",
            program: name,
            command: first
        )
    }
}
