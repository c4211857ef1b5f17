/// Formats a declaration as help for a terminal.
struct HelpPage {
    private let width: Int

    init(columns: Int) {
        width = min(max(columns, 40), 100)
    }

    func program(_ program: Program) -> String {
        var text = "\(program.name) \(program.version): \(program.summary)\n"
        text += section(
            "Usage",
            lines: ["\(program.name) COMMAND [OPTION...]", "\(program.name) COMMAND --help"]
        )
        text += paragraphs(program.discussion)
        text += section("Commands", program.commands.map { .init($0.name, $0.sentence) })
        text += section("Environment", program.environment)
        text += section("Exit codes", program.allExitCodes)
        return text
    }

    /// Returns the help for the two-word commands that begin with `word`.
    func family(_ word: String, of program: Program) -> String {
        let commands = program.family(word)
        return TextWrap.wrap("\(program.name) \(word): \(commands.count) commands", width: width) + "\n"
            + section(
                "Usage",
                lines: [
                    "\(program.name) \(word) COMMAND [OPTION...]", "\(program.name) \(word) COMMAND --help",
                ]
            )
            + section("Commands", commands.map { .init($0.name, $0.sentence) })
    }

    func command(_ command: Command, of program: Program) -> String {
        var text = TextWrap.wrap("\(program.name) \(command.name): \(command.summary)", width: width) + "\n"
        text += section("Usage", lines: [Self.synopsis(of: command, program: program.name)])
        text += paragraphs(command.discussion)
        var groups = command.groups.map { ($0.title, $0.options.map(\.spec)) }
        if groups.isEmpty { groups = [("Options", [])] }
        groups[groups.count - 1].1.append(Flag.help.spec)
        for (title, options) in groups {
            text += section(title, options.map { .init(Self.spelling(of: $0), $0.fullHelp) })
        }
        text += section("Commands", program.family(command.name).map { .init($0.name, $0.sentence) })
        text += section(command.glossary.title, command.glossary.entries)
        if !command.examples.isEmpty {
            text += "\nExamples:\n"
            text += command.examples
                .map { example in
                    TextWrap.wrap("\(example.purpose):", width: width, indent: 2) + "\n"
                        + TextWrap.wrapCommand(example.line, width: width, indent: 4) + "\n"
                }
                .joined(separator: "\n")
        }
        return text + section("Exit codes", program.exitCodes(of: command))
    }

    /// The usage line: the operands, the required options, and a placeholder for the others.
    static func synopsis(of command: Command, program: String) -> String {
        var words = [program, command.name]
        if !command.operands.placeholder.isEmpty {
            let optional = command.operands.count.lowerBound == 0
            words.append(optional ? "[\(command.operands.placeholder)]" : command.operands.placeholder)
        }
        for option in command.options where command.required.contains(option.name) {
            words.append("--\(option.name) \(option.placeholder ?? "")")
        }
        return (words + ["[OPTION...]"]).joined(separator: " ")
    }

    /// An option as typed: `-o, --output DIR`.
    static func spelling(of option: OptionSpec) -> String {
        let short = option.short.map { "-\($0), " } ?? ""
        let value = option.placeholder.map { option.needsValue ? " \($0)" : "[=\($0)]" } ?? ""
        return "\(short)--\(option.name)\(value)"
    }

    private func paragraphs(_ paragraphs: [String]) -> String {
        paragraphs.map { "\n" + TextWrap.wrap($0, width: width) + "\n" }.joined()
    }

    private func section(_ title: String, lines: [String]) -> String {
        "\n\(title):\n" + lines.map { TextWrap.wrap($0, width: width, indent: 2, hanging: 6) + "\n" }.joined()
    }

    /// Formats terms on the left and meanings in a column on the right; a long term gets its own line.
    private func section(_ title: String, _ entries: [Program.Definition]) -> String {
        guard !entries.isEmpty else { return "" }
        let column = min(entries.map { $0.term.count + 4 }.max() ?? 0, width < 70 ? 16 : 26)
        let lines = entries.map { entry in
            let meaning = TextWrap.wrap(entry.meaning, width: width, indent: column)
            guard entry.term.count + 4 <= column else {
                return TextWrap.wrap(entry.term, width: width, indent: 2) + "\n\(meaning)\n"
            }
            let gap = String(repeating: " ", count: column - entry.term.count - 2)
            return "  \(entry.term)\(gap)\(meaning.dropFirst(column))\n"
        }
        return "\n\(title):\n" + lines.joined()
    }
}

/// Wraps text at spaces.
package enum TextWrap {
    /// Returns `text` in lines of at most `width` columns.
    ///
    /// The first line is indented by `indent` spaces, and the others by `hanging`. A word longer than a line
    /// gets a line to itself.
    package static func wrap(_ text: String, width: Int, indent: Int = 0, hanging: Int? = nil) -> String {
        let following = String(repeating: " ", count: hanging ?? indent)
        var lines: [String] = []
        var line = String(repeating: " ", count: indent)
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                (line, isEmpty) = (following, true)
            }
            line += isEmpty ? String(word) : " " + word
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n")
    }

    /// Returns a shell command in lines of at most `width` columns, as a user can copy it.
    ///
    /// All lines but the last end in a backslash, and all but the first have two more spaces of indentation.
    /// A quoted text is never divided.
    package static func wrapCommand(_ command: String, width: Int, indent: Int) -> String {
        guard indent + command.count > width else { return String(repeating: " ", count: indent) + command }
        var quote: Character?
        let words = command.split { character in
            if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            }
            return character == " " && quote == nil
        }
        // A no-break space keeps the words of a quoted text together.
        let text = words.map { $0.replacing(" ", with: "\u{A0}") }.joined(separator: " ")
        return wrap(text, width: width - 2, indent: indent, hanging: indent + 2)
            .replacing("\n", with: " \\\n").replacing("\u{A0}", with: " ")
    }
}
