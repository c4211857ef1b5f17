package import CalotypeCommandLineKit
public import CalotypeServer

/// A setting of a configuration, with its names as an option and as a variable.
public struct Setting<Target: Configurable>: Sendable {
    /// The option's name without dashes.
    public let name: String
    /// The names of imgproxy's variables for this setting.
    public let imgproxyVariables: [String]
    /// The placeholder for the value in help; `nil` for a switch.
    public let placeholder: String?
    /// The default as help names it.
    public let defaultText: String?
    /// A sentence or two for help.
    public let help: String
    /// Whether the value must not be shown.
    public var isSecret = false
    /// Whether the option may be given more than once; the values are combined with commas.
    public var repeats = false
    /// The text that the option without a value stands for; `nil` if it needs one.
    public private(set) var impliedText: String?
    /// Applies a text to a configuration.
    let apply: @Sendable (String, SettingOrigin, inout Target) throws(UsageError) -> Void

    /// The name of Calotype's own variable, such as `CALOTYPE_ALLOW_PRIVATE`.
    public var variable: String {
        "CALOTYPE_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// Returns this setting with a secret value.
    package var hidden: Setting {
        var setting = self
        setting.isSecret = true
        return setting
    }

    /// Returns this setting with an option that may be given more than once.
    package var repeated: Setting {
        var setting = self
        setting.repeats = true
        return setting
    }

    /// Returns this setting with an option whose value may be left out, which then is `text`.
    package func implying(_ text: String) -> Setting {
        var setting = self
        setting.impliedText = text
        return setting
    }

    /// Whether the option has no value.
    public var isSwitch: Bool { placeholder == nil }
}

/// A setting of a thumbnail server.
public typealias ServerSetting = Setting<ServerConfiguration>

// Helpers for the table of settings.
extension Setting {
    /// Creates a setting with a value of `type`, which `apply` stores.
    package init<Value>(
        _ name: String,
        _ type: ValueType<Value>,
        default defaultText: String? = nil,
        imgproxy: String...,
        help: String,
        apply: @escaping @Sendable (Value, inout Target) throws(UsageError) -> Void
    ) {
        self.name = name
        imgproxyVariables = imgproxy.map { "IMGPROXY_" + $0 }
        placeholder = type.placeholder
        self.defaultText = defaultText
        self.help = help
        self.apply = { text, _, configuration throws(UsageError) in
            try apply(try type.parse(text), &configuration)
        }
    }

    /// Creates a setting with a value of `type`, whose default is the value at `path`.
    package init<Value>(
        _ name: String,
        _ type: ValueType<Value>,
        _ path: any WritableKeyPath<Target, Value> & Sendable,
        default defaultText: String? = nil,
        imgproxy: String...,
        help: String
    ) {
        self.name = name
        imgproxyVariables = imgproxy.map { "IMGPROXY_" + $0 }
        placeholder = type.placeholder
        self.defaultText = defaultText ?? SettingText.of(Target()[keyPath: path])
        self.help = help
        apply = { text, _, configuration throws(UsageError) in
            configuration[keyPath: path] = try type.parse(text)
        }
    }

    /// Creates an optional setting, stored at `path`.
    package init<Value>(
        _ name: String,
        _ type: ValueType<Value>,
        optional path: any WritableKeyPath<Target, Value?> & Sendable,
        default defaultText: String? = nil,
        imgproxy: String...,
        help: String
    ) {
        self.name = name
        imgproxyVariables = imgproxy.map { "IMGPROXY_" + $0 }
        placeholder = type.placeholder
        self.defaultText = defaultText
        self.help = help
        apply = { text, _, configuration throws(UsageError) in
            configuration[keyPath: path] = try type.parse(text)
        }
    }

    /// Creates a switch that sets the property at `path` to `value`.
    ///
    /// Calotype's own variable says whether the switch is on; imgproxy's variable contains the value of the
    /// property.
    package init(
        switch name: String,
        _ path: any WritableKeyPath<Target, Bool> & Sendable,
        to value: Bool = true,
        imgproxy: String...,
        help: String
    ) {
        self.name = name
        imgproxyVariables = imgproxy.map { "IMGPROXY_" + $0 }
        placeholder = nil
        defaultText = nil
        self.help = help
        apply = { text, origin, configuration throws(UsageError) in
            let truth = try SettingText.truth(text)
            configuration[keyPath: path] = origin == .imgproxy || value ? truth : !truth
        }
    }

    /// Creates a switch that calls `apply`.
    package init(
        switch name: String,
        imgproxy: [String] = [],
        help: String,
        apply: @escaping @Sendable (Bool, inout Target) -> Void
    ) {
        self.name = name
        imgproxyVariables = imgproxy.map { "IMGPROXY_" + $0 }
        placeholder = nil
        defaultText = nil
        self.help = help
        self.apply = { text, _, configuration throws(UsageError) in
            apply(try SettingText.truth(text), &configuration)
        }
    }
}

/// A group of settings under a heading.
public struct SettingGroup<Target: Configurable>: Sendable {
    /// The heading.
    public let title: String
    /// The settings, in the order of help.
    public let settings: [Setting<Target>]

    package init(_ title: String, _ settings: [Setting<Target>]) {
        self.title = title
        self.settings = settings
    }
}

/// The source of a setting's text; each source overrides those before it.
public enum SettingOrigin: Int, Comparable, Sendable {
    /// An imgproxy variable, `IMGPROXY_…`.
    case imgproxy
    /// A Calotype variable, `CALOTYPE_…`.
    case variable
    /// An option of the command.
    case option

    /// Orders sources so that a greater one overrides a lesser one.
    public static func < (one: SettingOrigin, other: SettingOrigin) -> Bool { one.rawValue < other.rawValue }
}

/// A value that settings configure, with a default for everything.
public protocol Configurable: Sendable {
    /// Creates the default.
    init()
}

extension ServerConfiguration: Configurable {}
