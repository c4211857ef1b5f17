package import CalotypeCommandLineKit
public import CalotypeServer

/// One thing that a configuration can be told, with the names that it has as an option and as a variable.
public struct Setting<Target: Configurable>: Sendable {
    /// The option's name without dashes.
    public let name: String
    /// The names of imgproxy's variables for it.
    public let imgproxyVariables: [String]
    /// The word for the value in help; `nil` for a switch.
    public let placeholder: String?
    /// What help names as the default.
    public let defaultText: String?
    /// A sentence or two for help.
    public let help: String
    /// Whether its value is not to be shown to anybody.
    public var isSecret = false
    /// Whether the option may be given more than once; the values are read as one text with commas between them.
    public var repeats = false
    /// Puts what a text means into a configuration.
    let apply: @Sendable (String, SettingOrigin, inout Target) throws(ValueError) -> Void

    /// The name of our own variable for it, such as `CALOTYPE_ALLOW_PRIVATE`.
    public var variable: String {
        "CALOTYPE_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// The same setting, whose value is not to be shown.
    package var hidden: Setting {
        var setting = self
        setting.isSecret = true
        return setting
    }

    /// The same setting, whose option may be given more than once.
    package var repeated: Setting {
        var setting = self
        setting.repeats = true
        return setting
    }

    /// Whether the option stands for itself, without a value.
    public var isSwitch: Bool { placeholder == nil }
}

/// What a thumbnail server can be told.
public typealias ServerSetting = Setting<ServerConfiguration>

// How the table of settings is written.
extension Setting {
    /// A setting with a value of `type`, kept where `apply` says.
    package init<Value>(
        _ name: String,
        _ type: ValueType<Value>,
        default defaultText: String? = nil,
        imgproxy: String...,
        help: String,
        apply: @escaping @Sendable (Value, inout Target) throws(ValueError) -> Void
    ) {
        self.name = name
        imgproxyVariables = imgproxy.map { "IMGPROXY_" + $0 }
        placeholder = type.placeholder
        self.defaultText = defaultText
        self.help = help
        self.apply = { text, _, configuration throws(ValueError) in
            try apply(try type.parse(text), &configuration)
        }
    }

    /// A setting with a value of `type`, whose default is what a configuration has at `path`.
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
        apply = { text, _, configuration throws(ValueError) in
            configuration[keyPath: path] = try type.parse(text)
        }
    }

    /// A setting that may be left out, kept at `path`.
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
        apply = { text, _, configuration throws(ValueError) in
            configuration[keyPath: path] = try type.parse(text)
        }
    }

    /// A switch that sets what is at `path` to `value`.
    ///
    /// Our own variable says whether the switch is on; imgproxy's says what is at `path`.
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
        apply = { text, origin, configuration throws(ValueError) in
            let truth = try SettingText.truth(text)
            configuration[keyPath: path] = origin == .imgproxy || value ? truth : !truth
        }
    }

    /// A switch that `apply` heeds.
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
        self.apply = { text, _, configuration throws(ValueError) in
            apply(try SettingText.truth(text), &configuration)
        }
    }
}

/// Some settings under a heading.
public struct SettingGroup<Target: Configurable>: Sendable {
    /// The heading.
    public let title: String
    /// The settings in the order of help.
    public let settings: [Setting<Target>]

    package init(_ title: String, _ settings: [Setting<Target>]) {
        self.title = title
        self.settings = settings
    }
}

/// Where the text of a setting comes from; each source overrides those before it.
public enum SettingOrigin: Int, Comparable, Sendable {
    /// A variable of imgproxy's, `IMGPROXY_…`.
    case imgproxy
    /// A variable of our own, `CALOTYPE_…`.
    case variable
    /// An option of the command.
    case option

    /// Compares by which one overrides the other.
    public static func < (one: SettingOrigin, other: SettingOrigin) -> Bool { one.rawValue < other.rawValue }
}

/// What settings are put into: a value with a default for everything.
public protocol Configurable: Sendable {
    /// Creates the default.
    init()
}

extension ServerConfiguration: Configurable {}
