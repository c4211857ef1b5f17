/// A subcommand as declared: what it takes and what help says of it.
public struct Command: Sendable {
    /// Some options under a heading of help.
    public struct Group: Sendable {
        /// The heading.
        public let title: String
        /// The options in the order of help.
        public let options: [any OptionDeclaring]

        /// Creates a group.
        public init(_ title: String, _ options: [any OptionDeclaring]) {
            self.title = title
            self.options = options
        }
    }

    /// The arguments that are no options.
    public struct Operands: Sendable {
        /// How the synopsis shows them, such as `LIST|URL...`.
        public let placeholder: String
        /// How many are allowed.
        public let count: ClosedRange<Int>

        /// Creates a declaration of operands.
        public init(_ placeholder: String, count: ClosedRange<Int>) {
            self.placeholder = placeholder
            self.count = count
        }

        /// None at all.
        public static let none = Operands("", count: 0...0)
    }

    /// A line that works as it stands, and what it does.
    public struct Example: Sendable {
        /// What it does, a phrase.
        public let purpose: String
        /// The line as typed.
        public let line: String

        /// Creates an example.
        public init(_ purpose: String, _ line: String) {
            self.purpose = purpose
            self.line = line
        }
    }

    /// The name as typed.
    public var name: String
    /// What it does, a phrase without a full stop.
    public var summary: String
    /// Paragraphs that tell how it behaves.
    public var discussion: [String]
    /// The arguments that are no options.
    public var operands: Operands
    /// The options, grouped.
    public var groups: [Group]
    /// The names of options that must be given.
    public var required: [String]
    /// Sets of names of which at most one may be given.
    public var exclusive: [[String]]
    /// Words that mean something to it, besides options, under a title; nothing by default.
    public var glossary: (title: String, entries: [Program.Definition]) = ("", [])
    /// Lines to copy.
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
        self.examples = examples
    }

    /// The summary as a sentence, for lists and the manual page.
    var sentence: String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }

    /// All options, `--help` last.
    var options: [OptionSpec] {
        groups.flatMap { $0.options.map(\.spec) } + [Flag.help.spec]
    }
}
