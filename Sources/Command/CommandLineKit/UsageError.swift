/// Arguments that cannot be understood; the program prints it on standard error and exits with 2.
public struct UsageError: Error, Sendable, CustomStringConvertible {
    /// The exit code that usage errors have by convention.
    public static let exitCode: Int32 = 2

    /// What is wrong and, where it can be told, what was meant.
    public let message: String
    /// The program's name, with the command's where there is one, such as `calotype fetch`.
    public let invocation: String

    /// Creates an error; the command itself may find one too, after parsing.
    public init(_ message: String, program: String, command: String? = nil) {
        self.message = message
        invocation = command.map { "\(program) \($0)" } ?? program
    }

    /// Two lines: what is wrong, and where help is.
    public var description: String {
        "\(invocation): \(message)\nTry '\(invocation) --help'.\n"
    }
}
