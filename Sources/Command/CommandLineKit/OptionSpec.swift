/// Something that declares an option: ``Option`` or ``Flag``.
public protocol OptionDeclaring: Sendable {
    /// What help and the parser know of it.
    var spec: OptionSpec { get }
}

/// What help and the parser know of an option, whatever the type of its value.
public struct OptionSpec: Sendable {
    /// The long name without dashes.
    public let name: String
    /// The letter of the short form.
    public let short: Character?
    /// The word for the value in help, or `nil` for a flag.
    public let placeholder: String?
    /// What help names as the default.
    public let defaultText: String?
    /// Whether every occurrence counts.
    public let repeats: Bool
    /// A sentence or two for help.
    public let help: String
    let convert: @Sendable (String) throws(ValueProblem) -> any Sendable

    init(
        name: String,
        short: Character?,
        placeholder: String? = nil,
        defaultText: String? = nil,
        repeats: Bool = false,
        help: String,
        convert: @escaping @Sendable (String) throws(ValueProblem) -> any Sendable = { $0 }
    ) {
        self.name = name
        self.short = short
        self.placeholder = placeholder
        self.defaultText = defaultText
        self.repeats = repeats
        self.help = help
        self.convert = convert
    }

    var takesValue: Bool { placeholder != nil }

    /// The help with the default and the repetition said at its end.
    var fullHelp: String {
        var text = help
        if repeats { text += " May be given more than once." }
        if let defaultText { text += " Default: \(defaultText)." }
        return text
    }
}
