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
            convert: { text throws(ValueError) in try type.parse(text) }
        )
    }
}

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
    let convert: @Sendable (String) throws(ValueError) -> any Sendable

    init(
        name: String,
        short: Character?,
        placeholder: String? = nil,
        defaultText: String? = nil,
        repeats: Bool = false,
        help: String,
        convert: @escaping @Sendable (String) throws(ValueError) -> any Sendable = { $0 }
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
