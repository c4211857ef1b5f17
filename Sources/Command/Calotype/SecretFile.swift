import CalotypeCommandLineKit
import CalotypeCore
import Glibc

/// Files that hold a secret on a line.
enum SecretFile {
    /// The text in the file at `path` without blanks and line breaks around it; `-` is standard input.
    static func text(_ path: String, command: String) throws(UsageError) -> String {
        let bytes: [UInt8]
        do throws(SystemError) {
            let file =
                path == "-"
                ? OpenFile(descriptor: STDIN_FILENO, isOwned: false) : try OpenFile(path, O_RDONLY)
            bytes = try file.read(limit)
        } catch {
            throw Self.error("cannot read \(path): \(error.reason)", command)
        }
        let text = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard text.count == 1, bytes.count < limit else {
            throw Self.error("\(path) has to hold one word and no more", command)
        }
        return String(text[0])
    }

    private static let limit = 64 << 10

    private static func error(_ message: String, _ command: String) -> UsageError {
        UsageError(message, program: CalotypeProgram.program.name, command: command)
    }
}
