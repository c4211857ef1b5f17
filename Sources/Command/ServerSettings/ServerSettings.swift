import CalotypeCommandLineKit
import CalotypeCore
public import CalotypeServer

/// All settings of a server: each is declared here once, and options, variables, help and documentation follow from it.
public enum ServerSettings: Sendable {
    /// All of them.
    public static var all: [ServerSetting] { groups.flatMap(\.settings) }

    /// The groups in the order of help.
    public static let groups = [
        SettingGroup("Listening", listening), SettingGroup("Limits", limits),
        SettingGroup("Paths", paths), SettingGroup("Sources", sources),
        SettingGroup("Caches", caches),
        SettingGroup("Images", pictures),
        SettingGroup("Responses", answers),
        SettingGroup("Fallback image and watermark", own),
        SettingGroup("Operation", operation),
    ]

    /// What a server does that is told all of this.
    ///
    /// - Parameters:
    ///   - options: the options that were given, in their order, by their names without dashes.
    ///   - environment: the variables that are set; empty ones count as not set.
    /// - Returns: the configuration, and the variables of imgproxy's that have no meaning here.
    /// - Throws: ``SettingError``, which names the option or the variable.
    public static func configuration(
        options: [(name: String, text: String)],
        environment: [String: String]
    ) throws(SettingError) -> (configuration: ServerConfiguration, unknown: [String]) {
        let configuration = try ServerSetting.configuration(all, options: options, environment: environment)
        try check(configuration)
        let known = Set(all.flatMap(\.imgproxyVariables))
        let unknown = environment.filter {
            $0.key.hasPrefix("IMGPROXY_") && !$0.value.isEmpty && !known.contains($0.key)
        }
        return (configuration, unknown.keys.sorted())
    }

    /// Looks at what several settings say together.
    private static func check(_ configuration: ServerConfiguration) throws(SettingError) {
        let (keys, salts) = (configuration.signing.keys.count, configuration.signing.salts.count)
        guard keys == salts else {
            let missing =
                keys > salts ? "--salt (CALOTYPE_SALT, IMGPROXY_SALT)" : "--key (CALOTYPE_KEY, IMGPROXY_KEY)"
            throw SettingError(
                "\(missing): there are \(keys) keys and \(salts) salts; each key needs a salt of its own"
            )
        }
        do throws(PathConfigurationError) { try configuration.checkPaths() } catch {
            throw SettingError(error.message)
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
    ) throws(ValueError) -> Output {
        do throws(PathConfigurationError) { return try body() } catch {
            throw ValueError("makes no sense: \(error.message)")
        }
    }
}
