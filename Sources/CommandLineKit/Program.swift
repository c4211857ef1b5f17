/// A program of several subcommands: the declaration from which parsing, help and the manual page are made.
public struct Program: Sendable {
    /// What the arguments ask for.
    public enum Invocation: Sendable {
        /// Run the command of this name.
        case run(command: String, arguments: ParsedArguments)
        /// Print this text on standard output and exit with 0.
        case show(String)
    }

    /// A term and what it means, for lists such as exit codes.
    public struct Definition: Sendable {
        /// The term.
        public let term: String
        /// What it means.
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
    /// What it does, a phrase without a full stop.
    public var summary: String
    /// Paragraphs for its own help and the manual page.
    public var discussion: [String]
    /// The subcommands in the order of help.
    public var commands: [Command]
    /// The exit codes, shown with every command.
    public var exitCodes: [Definition]
    /// Environment variables, shown in the program's own help and the manual page.
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

    /// Finds out what `arguments` (without the program's own name) ask for.
    ///
    /// `--help`, `-h`, `help [COMMAND]`, `help --roff` and `--version` are answered here.
    ///
    /// - Parameters:
    ///   - arguments: what was typed after the program's name.
    ///   - columns: the width that help is wrapped to; 40 to 100 is used of it.
    /// - Returns: the command to run, or the text to show.
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
        let command = try command(named: first)
        let rest = Array(arguments.dropFirst())
        let parsed = try ArgumentParser(command: command, program: name).parse(rest)
        return parsed.asksForHelp
            ? .show(HelpPage(columns: columns).command(command, of: self))
            : .run(command: command.name, arguments: parsed)
    }

    /// The manual page in roff's `man` macros, section 1.
    public func manualPage() -> String {
        ManualPage(program: self).text
    }

    private func help(_ topics: ArraySlice<String>, columns: Int) throws(UsageError) -> Invocation {
        let page = HelpPage(columns: columns)
        guard let topic = topics.first, topic != "--help", topic != "-h" else {
            return .show(page.program(self))
        }
        if topic == "--roff" { return .show(manualPage()) }
        return .show(page.command(try command(named: topic), of: self))
    }

    private func command(named word: String) throws(UsageError) -> Command {
        if let command = commands.first(where: { $0.name == word }) { return command }
        let kind = word.hasPrefix("-") ? "option" : "command"
        let names = commands.map(\.name) + ["help", "--help", "--version"]
        throw UsageError("unknown \(kind) \(word)\(NearestName.hint(word, in: names))", program: name)
    }
}
