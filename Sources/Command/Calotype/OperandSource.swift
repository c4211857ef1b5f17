import CalotypeBulk
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypePlatform

extension ImageSource {
    /// Creates the source that an operand names: a URL if it has a scheme, otherwise a file.
    ///
    /// `-` is standard input. It and named pipes are read to their end.
    ///
    /// - Throws: `file_not_readable`, `too_many_bytes`, `invalid_url`; `CancellationError`.
    static func named(_ operand: String, limits: ImageLimits = ImageLimits()) async throws -> ImageSource {
        if operand.contains("://") { return try ImageSource(trustedText: operand, limits: limits) }
        guard operand == "-" || isPipe(operand) else { return .file(path: operand) }
        do {
            let stream: ListSource = operand == "-" ? .standardInput : .file(path: operand)
            guard let bytes = try await stream.bytes(atMost: limits.sourceBytes) else {
                let message = "it has more than \(limits.sourceBytes), the maximum for an image"
                throw CalotypeError(.tooManyBytes, message, stage: .request)
            }
            return .bytes(bytes)
        } catch let error as SystemError {
            throw CalotypeError(.fileNotReadable, error.description, stage: .request)
        }
    }

    private static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.isKind(S_IFIFO)
    }

    /// Whether `operand` names a source that is loaded over the network.
    static func isOnNetwork(operand: String) -> Bool {
        guard let scheme = operand.firstRange(of: "://").map({ operand[..<$0.lowerBound].lowercased() })
        else {
            return false
        }
        return scheme != "file"
    }

    /// Returns the name under which a command reports the source `operand`.
    static func shownName(operand: String) -> String {
        if operand == "-" { return "standard input" }
        return operand.contains("://") ? URLCredentials.removed(from: operand) : operand
    }
}
