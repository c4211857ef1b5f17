/// The declaration of a subcommand: its arguments and its help.
public struct Command: Sendable {
    /// A group of options under a heading in help.
    public struct Group: Sendable {
        /// The heading.
        public let title: String
        /// The options, in the order of help.
        public let options: [any OptionDeclaring]

        /// Creates a group.
        public init(_ title: String, _ options: [any OptionDeclaring]) {
            self.title = title
            self.options = options
        }
    }

    /// The operands of a command: arguments that are not options.
    public struct Operands: Sendable {
        /// The text in the synopsis, such as `LIST|URL...`.
        public let placeholder: String
        /// The allowed number of operands.
        public let count: ClosedRange<Int>

        /// Creates a declaration.
        public init(_ placeholder: String, count: ClosedRange<Int>) {
            self.placeholder = placeholder
            self.count = count
        }

        /// No operands.
        public static let none = Operands("", count: 0...0)
    }

    /// A complete command line, with its purpose.
    public struct Example: Sendable {
        /// The purpose, as a phrase.
        public let purpose: String
        /// The command line as typed.
        public let line: String

        /// Creates an example.
        public init(_ purpose: String, _ line: String) {
            self.purpose = purpose
            self.line = line
        }
    }

    /// The name as typed.
    public var name: String
    /// The purpose, as a phrase without a full stop.
    public var summary: String
    /// Paragraphs that describe the command's behaviour.
    public var discussion: [String]
    /// The operands.
    public var operands: Operands
    /// The options, grouped.
    public var groups: [Group]
    /// The names of required options.
    public var required: [String]
    /// Sets of option names that exclude each other.
    public var exclusive: [[String]]
    /// Other words that the command accepts, under a title; empty by default.
    public var glossary: (title: String, entries: [Program.Definition]) = ("", [])
    /// The exit codes that only this command has, or that mean something else in it.
    public var exitCodes: [Program.Definition]
    /// Command lines to copy.
    public var examples: [Example]

    /// Declares a command.
    public init(
        _ name: String,
        summary: String,
        discussion: [String] = [],
        operands: Operands = .none,
        groups: [Group] = [],
        required: [String] = [],
        exclusive: [[String]] = [],
        glossary: (title: String, entries: [Program.Definition]) = ("", []),
        exitCodes: [Program.Definition] = [],
        examples: [Example] = []
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.operands = operands
        self.groups = groups
        self.required = required
        self.exclusive = exclusive
        self.glossary = glossary
        self.exitCodes = exitCodes
        self.examples = examples
    }

    /// The summary as a sentence, for lists and the manual page.
    var sentence: String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }

    /// All options, with `--help` last.
    var options: [OptionSpec] {
        groups.flatMap { $0.options.map(\.spec) } + [Flag.help.spec]
    }
}
