import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import CalotypeServer

/// `calotype sign`: creates the URLs that `serve` and imgproxy accept.
enum SignCommand {
    private static let option = Option(
        "option",
        .text("OPTION"),
        repeats: true,
        "Processing option, such as rs:fit:300:200 or q:70. A later one overrides an earlier one."
    )
    private static let format = Option(
        "format",
        .text("EXT"),
        "Output format, such as webp. Without it, the server chooses."
    )
    private static let plain = Flag(
        "plain",
        "Percent-encode the source. This is the default."
    )
    private static let base64 = Flag(
        "base64",
        "Encode the source in Base64, which no proxy on the way changes."
    )
    private static let path = Flag(
        "path",
        "Sign URL unchanged. It is what follows the signature: options and source."
    )
    private static let base = Option(
        "base",
        .text("URL"),
        "Print the complete URL, starting with this, such as https://images.example.com."
    )
    private static let keyFile = Option(
        "key-file",
        .text("FILE"),
        "File with the key in hexadecimal."
    )
    private static let saltFile = Option(
        "salt-file",
        .text("FILE"),
        "File with the salt in hexadecimal."
    )
    private static let size = Option(
        "signature-size",
        .integer(1...32, placeholder: "BYTES"),
        default: "32",
        "Number of signature bytes to use; must match the server."
    )
    private static let unchecked = Flag(
        "unchecked",
        """
        Also sign what a server would refuse by default. Use this for servers with a base URL, presets only \
        or another separator.
        """
    )

    static let command = Command(
        "sign",
        summary: "create a signed URL for the server",
        discussion: [
            """
            The key and the salt come from files, from CALOTYPE_KEY and CALOTYPE_SALT, or else from \
            IMGPROXY_KEY and IMGPROXY_SALT. They never come from the arguments, which other users can see. \
            If there are several, separated by commas, the first is used. IMGPROXY_SIGNATURE_SIZE is \
            supported in the same way.
            """,
            """
            The command does not sign what a server would refuse, such as an unknown option: it says why and \
            exits with 2. It prints the URL on one line of standard output.
            """,
        ],
        operands: .init("URL", count: 1...1),
        groups: [
            .init("Image", [option, format, plain, base64, path]), .init("Output", [base]),
            .init("Signature", [keyFile, saltFile, size, unchecked]),
        ],
        exclusive: [
            [plain.spec.name, base64.spec.name, path.spec.name], [option.spec.name, path.spec.name],
            [format.spec.name, path.spec.name],
        ],
        examples: [
            .init(
                "Sign the URL of a thumbnail",
                "calotype sign https://example.com/a.jpg --option rs:fill:256:256 --format webp"
            ),
            .init(
                "Sign a complete path",
                "calotype sign --path rs:fit:300:200/plain/https://example.com/a.jpg"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        guard let operand = arguments.operands.first else {
            preconditionFailure("the parser lets no call without operand pass")
        }
        let signer = URLSigner(key: try key(arguments), size: try signatureSize(arguments))
        let signed =
            arguments[path]
            ? try signer.path(signing: operand)
            : try signer.path(
                to: operand,
                options: arguments.all(option),
                format: arguments[format],
                form: arguments[base64] ? .base64 : .plain
            )
        if !arguments[unchecked] { try check(signed) }
        try TerminalOutput.standardOutput.write(whole(signed, arguments[base]) + "\n")
        return 0
    }

    private static func check(_ path: String) throws(UsageError) {
        do throws(ServerError) {
            try URLSigner.check(path, now: time(nil))
        } catch {
            throw self.error("a server would refuse this path: \(error.message)")
        }
    }

    private static func whole(_ path: String, _ base: String?) -> String {
        guard let base else { return path }
        return (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
    }

    private static func key(_ arguments: ParsedArguments) throws(UsageError) -> SigningKey {
        let key = try secret(arguments[keyFile], "KEY")
        let salt = try secret(arguments[saltFile], "SALT")
        do throws(ServerError) {
            guard let first = try SigningKey.list(keys: key, salts: salt).first else {
                preconditionFailure("a secret is not empty")
            }
            return first
        } catch {
            throw self.error(error.message)
        }
    }

    /// Returns the text in `file`, or else in the environment.
    private static func secret(_ file: String?, _ name: String) throws(UsageError) -> String {
        if let file { return try SecretFile.text(file, command: command.name) }
        guard let text = variable(name) else {
            let word = name.lowercased()
            throw error("there is no \(word); name a file with --\(word)-file, or set CALOTYPE_\(name)")
        }
        return text
    }

    private static func signatureSize(_ arguments: ParsedArguments) throws(UsageError) -> Int {
        if let size = arguments[size] { return size }
        guard let text = variable("SIGNATURE_SIZE") else { return 32 }
        guard let size = Int(text), (1...32).contains(size) else {
            throw error("SIGNATURE_SIZE in the environment is \(text); it must be 1 to 32")
        }
        return size
    }

    private static func variable(_ name: String) -> String? {
        EnvironmentVariables.value(of: "CALOTYPE_\(name)")
            ?? EnvironmentVariables.value(of: "IMGPROXY_\(name)")
    }

    private static func error(_ message: String) -> UsageError {
        UsageError(message, program: CalotypeProgram.program.name, command: command.name)
    }
}

/// Reads files that contain a secret on one line.
enum SecretFile {
    /// Returns the text of the file at `path` without surrounding whitespace; `-` is standard input.
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
            throw Self.error("\(path) must contain exactly one word", command)
        }
        return String(text[0])
    }

    private static let limit = 64 << 10

    private static func error(_ message: String, _ command: String) -> UsageError {
        UsageError(message, program: CalotypeProgram.program.name, command: command)
    }
}
