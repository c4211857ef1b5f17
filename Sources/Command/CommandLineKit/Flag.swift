/// An option without a value, such as `--quiet`.
public struct Flag: OptionDeclaring {
    /// What help and the parser know of it.
    public let spec: OptionSpec

    /// Declares a flag.
    ///
    /// - Parameters:
    ///   - name: the long name without dashes.
    ///   - short: the letter of the short form, if it has one.
    ///   - help: a sentence or two for help.
    public init(_ name: String, short: Character? = nil, _ help: String) {
        spec = OptionSpec(name: name, short: short, help: help)
    }

    /// The flag that every command understands.
    static let help = Flag("help", short: "h", "Show this help and exit.")
}
