/// An option with a value, such as `--output DIR`.
public struct Option<Value: Sendable>: OptionDeclaring {
    /// The parts that help and the parser use.
    public let spec: OptionSpec

    /// Declares an option.
    ///
    /// - Parameters:
    ///   - name: The long name without dashes.
    ///   - short: The letter of the short form, if it has one.
    ///   - type: The type that parses the value.
    ///   - implied: The value of the option alone. If it is `nil`, the option needs a value; otherwise the value
    ///     follows an equals sign, or is the next argument if that can be parsed as one.
    ///   - defaultText: The default as help names it; the program itself applies it.
    ///   - repeats: Whether every occurrence counts; otherwise the last one wins.
    ///   - help: A sentence or two for help.
    public init(
        _ name: String,
        short: Character? = nil,
        _ type: ValueType<Value>,
        implied: Value? = nil,
        default defaultText: String? = nil,
        repeats: Bool = false,
        _ help: String
    ) {
        spec = OptionSpec(
            name: name,
            short: short,
            placeholder: type.placeholder,
            choices: type.choices,
            implied: implied,
            defaultText: defaultText,
            repeats: repeats,
            help: help,
            convert: { text throws(UsageError) in try type.parse(text) }
        )
    }
}

/// An option without a value, such as `--quiet`.
public struct Flag: OptionDeclaring {
    /// The parts that help and the parser use.
    public let spec: OptionSpec

    /// Declares a flag.
    ///
    /// - Parameters:
    ///   - name: The long name without dashes.
    ///   - short: The letter of the short form, if it has one.
    ///   - help: A sentence or two for help.
    public init(_ name: String, short: Character? = nil, _ help: String) {
        spec = OptionSpec(name: name, short: short, help: help)
    }

    /// The flag that every command accepts.
    static let help = Flag("help", short: "h", "Show this help and exit.")
}

/// A declaration of an option: ``Option`` or ``Flag``.
public protocol OptionDeclaring: Sendable {
    /// The parts that help and the parser use.
    var spec: OptionSpec { get }
}

/// The parts of an option that help and the parser use, without the type of its value.
public struct OptionSpec: Sendable {
    /// The long name without dashes.
    public let name: String
    /// The letter of the short form.
    public let short: Character?
    /// The word for the value in help, or `nil` for a flag.
    public let placeholder: String?
    /// The words that the value can be; empty if it can be others.
    public let choices: [String]
    /// The value of the option alone; `nil` if it needs one.
    let implied: (any Sendable)?
    /// The default as help names it.
    public let defaultText: String?
    /// Whether every occurrence counts.
    public let repeats: Bool
    /// A sentence or two for help.
    public let help: String
    let convert: @Sendable (String) throws(UsageError) -> any Sendable

    init(
        name: String,
        short: Character?,
        placeholder: String? = nil,
        choices: [String] = [],
        implied: (any Sendable)? = nil,
        defaultText: String? = nil,
        repeats: Bool = false,
        help: String,
        convert: @escaping @Sendable (String) throws(UsageError) -> any Sendable = { $0 }
    ) {
        self.name = name
        self.short = short
        self.placeholder = placeholder
        self.choices = choices
        self.implied = implied
        self.defaultText = defaultText
        self.repeats = repeats
        self.help = help
        self.convert = convert
    }

    var takesValue: Bool { placeholder != nil }
    var needsValue: Bool { takesValue && implied == nil }

    /// The help text followed by the default and the repetition.
    var fullHelp: String {
        var text = help
        if repeats { text += " May be given more than once." }
        if let defaultText { text += " Default: \(defaultText)." }
        return text
    }
}
