import CalotypeCore
import CommandLineKit

/// All settings of a server: each is declared here once, and options, variables, help and documentation follow from it.
public enum ServerSettings: Sendable {
    /// Some settings under a heading.
    public struct Group: Sendable {
        /// The heading.
        public let title: String
        /// The settings in the order of help.
        public let settings: [ServerSetting]
    }

    /// All of them.
    public static var all: [ServerSetting] { groups.flatMap(\.settings) }

    /// The groups in the order of help.
    public static let groups = [
        Group(title: "Listening", settings: listening), Group(title: "Limits", settings: limits),
        Group(title: "Paths", settings: paths), Group(title: "Sources", settings: sources),
        Group(title: "Caches", settings: caches),
        Group(title: "Pictures", settings: pictures),
        Group(title: "Answers", settings: answers),
        Group(title: "Pictures of the server's own", settings: own),
        Group(title: "Operation", settings: operation),
    ]

    /// What a server does that is told all of this.
    ///
    /// - Parameters:
    ///   - options: the options that were given, in their order, by their names without dashes.
    ///   - environment: the variables that are set; empty ones count as not set.
    /// - Returns: the configuration, and the variables of imgproxy's that have no meaning here.
    /// - Throws: ``SettingProblem``, which names the option or the variable.
    public static func configuration(
        options: [(name: String, text: String)],
        environment: [String: String]
    ) throws(SettingProblem) -> (configuration: ServerConfiguration, unknown: [String]) {
        var configuration = ServerConfiguration()
        for setting in all {
            for name in setting.imgproxyVariables {
                try apply(setting, environment[name], from: name, .imgproxy, &configuration)
            }
        }
        for setting in all {
            try apply(
                setting,
                environment[setting.variable],
                from: setting.variable,
                .variable,
                &configuration
            )
        }
        for (name, text) in options {
            guard let setting = all.first(where: { $0.name == name }) else { continue }
            try apply(setting, text, from: "--\(name)", .option, &configuration)
        }
        try check(configuration)
        let known = Set(all.flatMap(\.imgproxyVariables))
        let unknown = environment.filter {
            $0.key.hasPrefix("IMGPROXY_") && !$0.value.isEmpty && !known.contains($0.key)
        }
        return (configuration, unknown.keys.sorted())
    }

    /// Looks at what several settings say together.
    private static func check(_ configuration: ServerConfiguration) throws(SettingProblem) {
        do throws(PathConfigurationError) {
            // Whether there is a watermark is known when it is loaded; a preset may name one all the same.
            let watermark = configuration.watermark.place.map { _ in EncodedPicture(name: "", bytes: []) }
            try PathReader(try configuration.completePaths(watermark: watermark)).check()
        } catch {
            throw SettingProblem(error.message)
        }
    }

    private static func apply(
        _ setting: ServerSetting,
        _ text: String?,
        from name: String,
        _ origin: ServerSetting.Origin,
        _ configuration: inout ServerConfiguration
    ) throws(SettingProblem) {
        guard let text, !text.isEmpty || origin == .option else { return }
        do throws(ValueProblem) {
            try setting.apply(text, origin, &configuration)
        } catch {
            throw SettingProblem("\(name): \(setting.isSecret ? "its value" : "'\(text)'") \(error.message)")
        }
    }
}

// What the tables of the groups share: option, kind of value, where it is kept, imgproxy's names, help. Settings are applied in
// their order.
extension ServerSettings {
    static let seconds = ValueType<Duration>.seconds(0...31_536_000)
    static let count = ValueType<Int>.integer(1...1_000_000)

    /// What `body` returns; what makes no sense to it is a problem with the value.
    static func sense<Output>(
        _ body: () throws(PathConfigurationError) -> Output
    ) throws(ValueProblem) -> Output {
        do throws(PathConfigurationError) { return try body() } catch {
            throw ValueProblem("makes no sense: \(error.message)")
        }
    }
}

/// A setting that makes no sense.
public struct SettingProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Such as `CALOTYPE_TTL: 'x' is not a number of seconds`.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
