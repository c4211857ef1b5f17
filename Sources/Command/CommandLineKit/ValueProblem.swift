/// What is wrong with an option's value, worded to follow the value: `is not a whole number`.
public struct ValueProblem: Error, Sendable {
    /// The rest of a sentence that begins with the option and the value.
    public let message: String

    /// Creates a problem.
    public init(_ message: String) {
        self.message = message
    }
}
