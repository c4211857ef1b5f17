public import CalotypeCommandLineKit

extension Setting {
    /// The setting as an option of a command; its value is checked, and given as it was written.
    public var option: Option<String> {
        Option(
            name,
            ValueType(placeholder: placeholder ?? "") { text throws(ValueProblem) in
                var configuration = Target()
                try apply(text, .option, &configuration)
                return text
            },
            default: defaultText,
            repeats: repeats,
            help
        )
    }

    /// The setting as an option without a value.
    public var flag: Flag { Flag(name, help) }

    /// The setting as a command declares it.
    public var declaration: any OptionDeclaring { isSwitch ? flag : option }

    /// What was given for it, if it was.
    public func text(in arguments: ParsedArguments) -> String? {
        if isSwitch { return arguments[flag] ? "true" : nil }
        let texts = arguments.all(option)
        return repeats && !texts.isEmpty ? texts.joined(separator: ",") : texts.last
    }
}
