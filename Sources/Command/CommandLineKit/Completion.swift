/// The shells that a program can complete its command line in.
enum CompletionShell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

/// Writes a program's declaration as a completion script for a shell.
///
/// The scripts complete commands, options and the words of options that accept only certain words; other values
/// and operands complete as file names.
struct Completion {
    let program: Program

    func script(for shell: CompletionShell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// The first words of all commands, each once, and `help`.
    private var firstWords: [(word: String, meaning: String)] {
        var words: [(word: String, meaning: String)] = []
        for command in program.commands {
            let word = firstWord(of: command)
            guard !words.contains(where: { $0.word == word }) else { continue }
            words.append((word, command.name == word ? command.summary : secondWords(after: word).list))
        }
        return words + [("help", "show help")]
    }

    private func firstWord(of command: Command) -> String {
        String(command.name.prefix { $0 != " " })
    }

    private func secondWords(after first: String) -> [String] {
        program.family(first).map { String($0.name.dropFirst(first.count + 1)) }
    }

    /// The first words of commands of two words.
    private var families: [String] {
        Set(program.commands.map(firstWord).filter { !program.family($0).isEmpty }).sorted()
    }

    private func spellings(of option: OptionSpec) -> [String] {
        ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])
    }

    // MARK: bash

    private var bash: String {
        var text = """
            # bash completion for \(program.name), made by '\(program.name) help --completion bash'
            _\(program.name)() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
                local command=${COMP_WORDS[1]}
                COMPREPLY=()
                if ((COMP_CWORD == 1)); then
                    COMPREPLY=($(compgen -W "\(firstWords.map(\.word).joined(separator: " ")) --help --version" -- "$word"))
                    return
                fi
                case "$command ${COMP_WORDS[2]}" in

            """
        for name in program.commands.map(\.name) where name.contains(" ") {
            text += "        \"\(name)\") ((COMP_CWORD == 2)) || command=\"\(name)\" ;;\n"
        }
        text += "    esac\n    local words=\n    case $command in\n"
        for command in program.commands { text += bashCase(command) }
        for word in families where !program.commands.contains(where: { $0.name == word }) {
            text +=
                "        \(word)) words=\"\(secondWords(after: word).joined(separator: " ")) --help\" ;;\n"
        }
        text += """
                    help) words="\(firstWords.map(\.word).joined(separator: " "))" ;;
                esac
                COMPREPLY=($(compgen -W "$words" -- "$word"))
            }
            complete -o default -F _\(program.name) \(program.name)

            """
        return text
    }

    private func bashCase(_ command: Command) -> String {
        var text = "        \"\(command.name)\")\n            case $before in\n"
        for option in command.options where option.takesValue {
            let words = option.choices.joined(separator: " ")
            let reply = words.isEmpty ? "" : "COMPREPLY=($(compgen -W \"\(words)\" -- \"$word\")); "
            text += "                \(spellings(of: option).joined(separator: "|"))) \(reply)return ;;\n"
        }
        let options = command.options.flatMap(spellings).joined(separator: " ")
        text += "            esac\n            [[ $word == -* ]] && words=\"\(options)\"\n"
        let following = secondWords(after: command.name)
        if !following.isEmpty {
            text += "            ((COMP_CWORD == 2)) && words+=\" \(following.joined(separator: " "))\"\n"
        }
        return text + "            ;;\n"
    }

    // MARK: zsh

    private var zsh: String {
        var text = """
            #compdef \(program.name)
            # zsh completion for \(program.name), made by '\(program.name) help --completion zsh'
            local command=$words[2]
            if ((CURRENT == 2)); then
                local -a commands=(

            """
        text += firstWords.map { "        \(quoted("\($0.word):\($0.meaning)"))\n" }.joined()
        text += """
                )
                _describe command commands
                _arguments --help --version
                return
            fi
            case "$command $words[3]" in

            """
        for name in program.commands.map(\.name) where name.contains(" ") {
            text += "    \(quoted(name))) ((CURRENT > 3)) && command=\(quoted(name)) ;;\n"
        }
        text += "esac\ncase $command in\n"
        for command in program.commands { text += zshCase(command) }
        for word in families where !program.commands.contains(where: { $0.name == word }) {
            text += "    \(word)) compadd \(secondWords(after: word).joined(separator: " ")) ;;\n"
        }
        text += "    help) compadd \(firstWords.map(\.word).joined(separator: " ")) ;;\nesac\n"
        return text
    }

    private func zshCase(_ command: Command) -> String {
        var text = "    \(quoted(command.name)))\n"
        let following = secondWords(after: command.name)
        if !following.isEmpty {
            text += "        ((CURRENT == 3)) && compadd \(following.joined(separator: " "))\n"
        }
        text += "        _arguments -s '*:file:_files'"
        for option in command.options {
            let meaning = option.help.filter { !"[]:".contains($0) }
            let repeats = option.repeats ? "*" : ""
            let value = option.placeholder.map { ":\($0.filter { $0 != ":" }):\(zshAction(option))" } ?? ""
            text += spellings(of: option).map { spelling in
                " \\\n            \(quoted("\(repeats)\(spelling)[\(meaning)]\(value)"))"
            }.joined()
        }
        return text + "\n        ;;\n"
    }

    private func zshAction(_ option: OptionSpec) -> String {
        option.choices.isEmpty ? "_files" : "(\(option.choices.joined(separator: " ")))"
    }

    // MARK: fish

    private var fish: String {
        let name = program.name
        var text = """
            # fish completion for \(name), made by '\(name) help --completion fish'
            function __\(name)_command
                set -l words (commandline -opc)
                set -e words[1]
                set -l typed (string join ' ' -- $words[1..2])
                switch $typed

            """
        for name in program.commands.map(\.name) where name.contains(" ") {
            text += "        case '\(name)'\n            echo '\(name)'\n            return\n"
        }
        text += """
                end
                echo $words[1]
            end
            complete -c \(name) -n 'test -z (__\(name)_command)' -l help -d 'Show help'
            complete -c \(name) -n 'test -z (__\(name)_command)' -l version -d 'Show the version'

            """
        for (word, meaning) in firstWords {
            text +=
                "complete -c \(name) -n 'test -z (__\(name)_command)' -f -a \(word) -d \(quoted(meaning))\n"
        }
        for command in program.commands {
            let isHere = "-n \"test (__\(name)_command) = '\(command.name)'\""
            for option in command.options {
                text += "complete -c \(name) \(isHere) -l \(option.name)"
                if let short = option.short { text += " -s \(short)" }
                if option.takesValue { text += " -r" }
                if !option.choices.isEmpty { text += " -f -a '\(option.choices.joined(separator: " "))'" }
                text += " -d \(quoted(option.help.firstSentence))\n"
            }
        }
        for word in families {
            for second in program.family(word) {
                text += "complete -c \(name) -n \"test (__\(name)_command) = '\(word)'\" -f"
                text += " -a \(second.name.dropFirst(word.count + 1)) -d \(quoted(second.summary))\n"
            }
        }
        return text
    }

    /// Quotes text for any of the three shells.
    private func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\"'\"'") + "'"
    }
}

extension [String] {
    fileprivate var list: String { joined(separator: ", ") }
}

extension String {
    /// The text up to the first full stop that ends a sentence.
    fileprivate var firstSentence: String {
        var end = startIndex
        while end < endIndex {
            let next = index(after: end)
            if self[end] == ".", next == endIndex || self[next] == " " { return String(self[..<end]) }
            end = next
        }
        return self
    }
}
