/// Something was left over that should have ended.
public struct NotQuiet: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is left, one thing or one owner each, for people.
    public let leftovers: [String]

    /// Creates the error.
    public init(leftovers: [String]) {
        self.leftovers = leftovers
    }

    /// What is left, on one line.
    public var description: String {
        "not quiet, \(leftovers.count) left over: " + leftovers.joined(separator: "; ")
    }
}
