public import CalotypeCommandLineKit
import CalotypeCore
import CalotypeHTTP
public import CalotypeServerSettings

/// The settings of the web app, which define options, variables, help and documentation.
public enum AppSettings: Sendable {
    /// The settings under their heading.
    public static let group = SettingGroup("Web app", all)

    /// The settings in the order of help.
    public static let all: [Setting<AppOptions>] = [
        Setting(
            switch: "app",
            \.isOn,
            help: "Serve the web app below /app/ too. At an address that others can reach, it needs a token."
        ),
        Setting(
            "app-token",
            .appToken,
            default: "none",
            help:
                "Token that people need to use the app. Set it as a variable, because others can see options."
        ) { token, options in
            options.token = token
        }.hidden,
        Setting(
            "api",
            .serviceBase,
            default: "the real services",
            help: """
                Use this server instead of the App Store, JSONPlaceholder and Robohash, such as one started \
                with calotype origin.
                """
        ) { base, options in
            options.api = base
        },
        Setting(
            "publish-profile",
            .words("NAME"),
            \.profiles,
            default: "none",
            help: "Profile of calotype publish that the app may publish with."
        ).repeated,
        Setting(
            "app-folder",
            .text("DIR"),
            optional: \.folder,
            default: "$XDG_STATE_HOME/calotype/app",
            help: "Folder for files that are to be published."
        ),
    ]

    /// Returns the app's settings.
    ///
    /// - Parameters:
    ///   - options: The given options, by their names without dashes; other options are ignored.
    ///   - environment: The environment variables.
    /// - Returns: The settings that concern the app.
    /// - Throws: ``UsageError``, which names the option or the variable; also if options configure the app
    ///   and the app is off.
    public static func options(
        _ options: [(name: String, text: String)],
        environment: [String: String]
    ) throws(UsageError) -> AppOptions {
        let told = try Setting<AppOptions>.configuration(all, options: options, environment: environment)
        let names = Set(all.map(\.name))
        if !told.isOn, let option = options.first(where: { names.contains($0.name) }) {
            throw UsageError("--\(option.name) is about the web app, which is off; add --app")
        }
        return told
    }
}

extension ValueType where Value == String {
    /// A single word for a header field.
    fileprivate static var appToken: ValueType {
        ValueType(placeholder: "TEXT") { text throws(UsageError) in
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw UsageError("is not one word of visible ASCII characters")
            }
            return text
        }
    }
}

extension ValueType where Value == String {
    /// The base URL of the catalogue's services.
    package static var serviceBase: ValueType {
        ValueType(placeholder: "URL") { text throws(UsageError) in
            do throws(CalotypeError) {
                _ = try WebURL(text)
            } catch {
                throw UsageError(
                    "is not the URL of a server such as http://127.0.0.1:8080: \(error.message)"
                )
            }
            guard !text.contains("?"), !text.contains("#") else {
                throw UsageError("has a query, which a base URL cannot have")
            }
            return text
        }
    }
}
