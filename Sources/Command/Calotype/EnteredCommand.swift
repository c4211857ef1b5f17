import CalotypeCommandLineKit
import CalotypeCore
import CalotypePublish

/// The command line that the user entered, which continues the work after an interruption.
enum EnteredCommand {
    /// Maximum length of a line that is printed; a longer one is easier to find in the shell's history.
    private static let limit = 1_000

    /// Returns what to do after an interruption, and the command line to copy if it may be printed.
    ///
    /// - Parameters:
    ///   - words: The words of the command line.
    ///   - readsInput: Whether the command reads its list from standard input.
    /// - Returns: The text, of one or two lines.
    static func continuation(
        _ words: [String] = CommandLine.arguments,
        readsInput: Bool = false
    ) -> String {
        let input = readsInput ? " with the same standard input" : ""
        let text = "Run the same command\(input) to continue"
        return line(words).map { "\(text):\n  \($0)" } ?? "\(text)."
    }

    /// Returns the message of the interrupted `command`.
    static func message(_ command: String) -> String {
        // The responses and images that these have received are cached.
        let continues = [
            AppStoreSearchCommand.command.name, AppStoreShowCommand.command.name, AlbumCommand.command.name,
        ]
        return "calotype \(command): interrupted\n"
            + (continues.contains(command) ? "\(continuation())\n" : "")
    }

    /// The line as shell text; `nil` if it is long, would garble the terminal, or may have a secret.
    private static func line(_ words: [String]) -> String? {
        let line = words.map(ShellWord.quoted).joined(separator: " ")
        // A header may have a token, and the query of a URL a signature.
        let hasSecret =
            URLCredentials.removed(in: line) != line
            || words.contains { $0.hasPrefix("--header") || $0.contains("://") && $0.contains("?") }
        let isPlain = line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        return hasSecret || !isPlain || line.count > limit ? nil : line
    }
}
