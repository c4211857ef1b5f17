/// Formats a program's declaration as a manual page with roff's `man` macros.
struct ManualPage {
    let program: Program

    var text: String {
        var page =
            ".TH \(program.name.uppercased()) 1 \"\" \"\(escaped("\(program.name) \(program.version)"))\"\n"
        page += section("NAME", "\(escaped(program.name)) \\- \(escaped(program.summary))\n")
        page += section("SYNOPSIS", program.commands.map(synopsis).joined(separator: ".br\n"))
        page += section("DESCRIPTION", paragraphs(program.discussion))
        page += ".SH COMMANDS\n" + program.commands.map(command).joined()
        page += definitions("ENVIRONMENT", program.environment)
        page += definitions("EXIT STATUS", program.allExitCodes)
        return page
    }

    /// The page of one command, such as `calotype-fetch`.
    func page(of command: Command) -> String {
        let name = "\(program.name)-\(command.name.split(separator: " ").joined(separator: "-"))"
        var page =
            ".TH \(escaped(name.uppercased())) 1 \"\" \"\(escaped("\(program.name) \(program.version)"))\"\n"
        page += section("NAME", "\(escaped(name)) \\- \(escaped(command.summary))\n")
        page += section("SYNOPSIS", synopsis(of: command))
        page += section("DESCRIPTION", paragraphs(command.discussion))
        page += section("OPTIONS", options(of: command)) + section("EXAMPLES", examples(of: command))
        page += definitions("EXIT STATUS", program.exitCodes(of: command))
        return page + section("SEE ALSO", ".BR \(escaped(program.name)) (1)\n")
    }

    private func synopsis(of command: Command) -> String {
        let words = HelpPage.synopsis(of: command, program: program.name).dropFirst(program.name.count + 1)
        return ".B \(escaped(program.name))\n\(escaped(String(words)))\n"
    }

    private func command(_ command: Command) -> String {
        var text = ".SS \"\(escaped("\(program.name) \(command.name)"))\"\n"
        text += escapedLine(command.sentence) + "\n" + synopsis(of: command).withBreak
        text += paragraphs(command.discussion)
        return text + options(of: command) + examples(of: command)
    }

    private func options(of command: Command) -> String {
        var text = ""
        for group in command.groups {
            text += ".PP\n.I \(escaped(group.title))\n"
            text += group.options.map { entry(HelpPage.spelling(of: $0.spec), $0.spec.fullHelp) }.joined()
        }
        if !command.glossary.entries.isEmpty {
            text += ".PP\n.I \(escaped(command.glossary.title))\n"
            text += command.glossary.entries.map { entry($0.term, $0.meaning) }.joined()
        }
        return text
    }

    private func examples(of command: Command) -> String {
        command.examples.map { example in
            let lines = TextWrap.wrapCommand(example.line, width: 66, indent: 0)
                .split(separator: "\n").map { escapedLine(String($0)) }.joined(separator: "\n")
            return ".PP\n\(escapedLine(example.purpose + ":"))\n.PP\n.nf\n.RS\n\(lines)\n.RE\n.fi\n"
        }.joined()
    }

    private func section(_ title: String, _ body: String) -> String {
        body.isEmpty ? "" : ".SH \(title)\n\(body)"
    }

    private func definitions(_ title: String, _ entries: [Program.Definition]) -> String {
        section(title, entries.map { entry($0.term, $0.meaning) }.joined())
    }

    private func entry(_ term: String, _ meaning: String) -> String {
        ".TP\n.B \(escaped(term))\n\(escapedLine(meaning))\n"
    }

    private func paragraphs(_ paragraphs: [String]) -> String {
        paragraphs.map { ".PP\n\(escapedLine($0))\n" }.joined()
    }

    /// Escapes text for roff: doubles backslashes, and keeps hyphens as ASCII so that they can be pasted.
    private func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "\"": result += "\\(dq"
            default: result.append(character)
            }
        }
        return result
    }

    /// Escapes text at the start of a line, where roff would read a dot or an apostrophe as a request.
    private func escapedLine(_ text: String) -> String {
        (text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : "") + escaped(text)
    }
}

extension String {
    fileprivate var withBreak: String { ".PP\n" + self }
}
