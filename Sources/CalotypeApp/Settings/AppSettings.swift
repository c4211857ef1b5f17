public import CalotypeServer
import CommandLineKit

/// All settings of the web app: options, variables, help and documentation follow from them.
public enum AppSettings: Sendable {
    /// They, under their heading.
    public static let group = SettingGroup("The web app", all)

    /// They, in the order of help.
    public static let all: [Setting<AppOptions>] = [
        Setting(
            switch: "app",
            \.isOn,
            help: """
                Serve the web app below /app/ too. On an address that others can reach it needs a token.
                """
        ),
        Setting(
            "app-token",
            .appToken,
            default: "none",
            help:
                "What people have to know who use the app; better given as a variable, which others cannot see."
        ) { token, options in
            options.token = token
        }.hidden,
        Setting(
            "api",
            .serviceBase,
            default: "the real services",
            help: """
                Ask this server in the place of the App Store, JSONPlaceholder and Robohash, such as one that calotype origin \
                runs.
                """
        ) { base, options in
            options.api = base
        },
        Setting(
            "publish-profile",
            .words("NAME"),
            \.profiles,
            default: "none",
            help: "A profile of calotype publish that the app may publish with."
        ).repeated,
        Setting(
            "app-folder",
            .text("DIR"),
            optional: \.folder,
            default: "$XDG_STATE_HOME/calotype/app",
            help: "Where the app keeps what is to be published."
        ),
    ]

    /// What the app is told.
    ///
    /// - Parameters:
    ///   - options: The options that were given, by their names without dashes; those of others are passed over.
    ///   - environment: The variables that are set.
    /// - Returns: What of it is about the app.
    /// - Throws: ``SettingProblem``, which names the option or the variable; also where options say how the app is to be
    ///   that is not asked for.
    public static func options(
        _ options: [(name: String, text: String)],
        environment: [String: String]
    ) throws(SettingProblem) -> AppOptions {
        let told = try Setting<AppOptions>.configuration(all, options: options, environment: environment)
        let names = Set(all.map(\.name))
        if !told.isOn, let option = options.first(where: { names.contains($0.name) }) {
            throw SettingProblem("--\(option.name) is about the web app, which is off; add --app")
        }
        return told
    }
}

extension ValueType where Value == String {
    /// What can stand in a header field as one word.
    fileprivate static var appToken: ValueType {
        ValueType(placeholder: "TEXT") { text throws(ValueProblem) in
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw ValueProblem("is not one word of visible ASCII characters")
            }
            return text
        }
    }
}
