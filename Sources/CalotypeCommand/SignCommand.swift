import CalotypeServer
import CommandLineKit
import Glibc

/// `calotype sign`: makes the URLs that `serve`, and imgproxy, answer.
enum SignCommand {
    private static let option = Option(
        "option",
        .text("OPTION"),
        repeats: true,
        "What is done to the picture, such as rs:fit:300:200 or q:70; a later one holds over an earlier one."
    )
    private static let format = Option(
        "format",
        .text("EXT"),
        "The format, such as webp; else the server chooses."
    )
    private static let plain = Flag(
        "plain",
        "Write the source as it is, percent-encoded; so it is done by default."
    )
    private static let base64 = Flag(
        "base64",
        "Write the source in Base64, which no proxy on the way changes."
    )
    private static let path = Flag(
        "path",
        "URL is what follows the signature, options and source: sign it as it is."
    )
    private static let base = Option(
        "base",
        .text("URL"),
        "Print the whole URL, which begins with this, such as https://images.example.com."
    )
    private static let keyFile = Option(
        "key-file",
        .text("FILE"),
        "The file with the key in hexadecimal digits."
    )
    private static let saltFile = Option(
        "salt-file",
        .text("FILE"),
        "The file with the salt in hexadecimal digits."
    )
    private static let size = Option(
        "signature-size",
        .integer(1...32, placeholder: "BYTES"),
        default: "32",
        "How many bytes of the signature are used; it has to be the server's."
    )
    private static let unchecked = Flag(
        "unchecked",
        "Sign also what would be refused: for servers with a base URL, only presets or another separator."
    )

    static let command = Command(
        "sign",
        summary: "make a signed URL for the server",
        discussion: [
            """
            The key and the salt come from files or from CALOTYPE_KEY and CALOTYPE_SALT, else IMGPROXY_KEY and \
            IMGPROXY_SALT, never from the arguments, which others can see. Of several, separated by commas, the first is \
            taken. IMGPROXY_SIGNATURE_SIZE is heeded likewise.
            """,
            """
            What a server would refuse, such as an unknown option, is not signed: the command says why and exits with 2. \
            The URL is printed on a line of standard output.
            """,
        ],
        operands: .init("URL", count: 1...1),
        groups: [
            .init("Picture", [option, format, plain, base64, path]), .init("Output", [base]),
            .init("Signature", [keyFile, saltFile, size, unchecked]),
        ],
        exclusive: [
            [plain.spec.name, base64.spec.name, path.spec.name], [option.spec.name, path.spec.name],
            [format.spec.name, path.spec.name],
        ],
        examples: [
            .init(
                "A thumbnail",
                "calotype sign https://example.com/a.jpg --option rs:fill:256:256 --format webp"
            ),
            .init(
                "A path that is ready",
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
        do throws(RequestRefusal) {
            try URLSigner.check(path, now: time(nil))
        } catch {
            throw self.error("a server would refuse this: \(error.detail)")
        }
    }

    private static func whole(_ path: String, _ base: String?) -> String {
        guard let base else { return path }
        return (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
    }

    private static func key(_ arguments: ParsedArguments) throws(UsageError) -> SigningKey {
        let key = try secret(arguments[keyFile], "KEY")
        let salt = try secret(arguments[saltFile], "SALT")
        do throws(PathConfigurationError) {
            guard let first = try SigningKey.list(keys: key, salts: salt).first else {
                preconditionFailure("a secret is not empty")
            }
            return first
        } catch {
            throw self.error(error.message)
        }
    }

    /// The text in `file`, or else in the environment.
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
            throw error("the environment's SIGNATURE_SIZE is \(text), not 1 to 32")
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
