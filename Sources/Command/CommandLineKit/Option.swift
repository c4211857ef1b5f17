/// An option with a value, such as `--output DIR`.
public struct Option<Value: Sendable>: OptionDeclaring {
    /// What help and the parser know of it.
    public let spec: OptionSpec

    /// Declares an option.
    ///
    /// - Parameters:
    ///   - name: the long name without dashes.
    ///   - short: the letter of the short form, if it has one.
    ///   - type: how its text becomes a value.
    ///   - defaultText: what help names as the default; the program itself applies it.
    ///   - repeats: whether every occurrence counts; otherwise the last one wins.
    ///   - help: a sentence or two for help.
    public init(
        _ name: String,
        short: Character? = nil,
        _ type: ValueType<Value>,
        default defaultText: String? = nil,
        repeats: Bool = false,
        _ help: String
    ) {
        spec = OptionSpec(
            name: name,
            short: short,
            placeholder: type.placeholder,
            defaultText: defaultText,
            repeats: repeats,
            help: help,
            convert: { text throws(ValueProblem) in try type.parse(text) }
        )
    }
}
