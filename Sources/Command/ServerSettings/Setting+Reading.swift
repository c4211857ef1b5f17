public import CalotypeCommandLineKit

// Reading a configuration from texts.
extension Setting {
    /// Returns the default configuration changed by `settings`.
    ///
    /// - Parameters:
    ///   - settings: All settings, in the order in which they are applied.
    ///   - options: The given options in order, by their names without dashes; other options are ignored.
    ///   - environment: The environment variables; empty ones count as unset.
    /// - Returns: The configuration.
    /// - Throws: ``UsageError``, which names the option or the variable.
    package static func configuration(
        _ settings: [Setting],
        options: [(name: String, text: String)],
        environment: [String: String]
    ) throws(UsageError) -> Target {
        var target = Target()
        for setting in settings {
            for name in setting.imgproxyVariables {
                try setting.take(environment[name], from: name, .imgproxy, &target)
            }
        }
        for setting in settings {
            try setting.take(environment[setting.variable], from: setting.variable, .variable, &target)
        }
        for (name, text) in options {
            guard let setting = settings.first(where: { $0.name == name }) else { continue }
            try setting.take(text, from: "--\(name)", .option, &target)
        }
        return target
    }

    private func take(
        _ text: String?,
        from name: String,
        _ origin: SettingOrigin,
        _ target: inout Target
    ) throws(UsageError) {
        guard let text, !text.isEmpty || origin == .option else { return }
        do throws(UsageError) {
            try apply(text, origin, &target)
        } catch {
            throw UsageError("\(name): \(isSecret ? "its value" : "'\(text)'") \(error.message)")
        }
    }
}

extension Setting {
    /// The setting as a command's option, whose value is checked but returned as written.
    public var option: Option<String> {
        Option(
            name,
            ValueType(placeholder: placeholder ?? "") { text throws(UsageError) in
                var configuration = Target()
                try apply(text, .option, &configuration)
                return text
            },
            implied: impliedText,
            default: defaultText,
            repeats: repeats,
            help
        )
    }

    /// The setting as an option without a value.
    public var flag: Flag { Flag(name, help) }

    /// The setting as a command declares it.
    public var declaration: any OptionDeclaring { isSwitch ? flag : option }

    /// Returns the given text, if any.
    public func text(in arguments: ParsedArguments) -> String? {
        if isSwitch { return arguments[flag] ? "true" : nil }
        let texts = arguments.all(option)
        return repeats && !texts.isEmpty ? texts.joined(separator: ",") : texts.last
    }
}
