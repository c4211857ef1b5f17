import Calotype
public import CalotypeCommandLineKit
import CalotypeCore
import CalotypeHTTP
public import CalotypeServer

/// The settings of a server, each declared once; options, variables, help and documentation follow from them.
public enum ServerSettings: Sendable {
    /// All settings.
    public static var all: [ServerSetting] { groups.flatMap(\.settings) }

    /// The groups, in the order of help.
    public static let groups = [
        SettingGroup("Listening", listening), SettingGroup("Limits", limits),
        SettingGroup("Paths", paths), SettingGroup("Sources", sources),
        SettingGroup("Caches", caches),
        SettingGroup("Images", pictures),
        SettingGroup("Responses", answers),
        SettingGroup("Fallback image and watermark", own),
        SettingGroup("Operation", operation),
    ]

    /// Returns the server's configuration.
    ///
    /// - Parameters:
    ///   - options: The given options in order, by their names without dashes.
    ///   - environment: The environment variables; empty ones count as unset.
    ///
    /// The proxies of the usual variables, such as `http_proxy`, apply if no setting names one.
    ///
    /// - Returns: The configuration, and imgproxy's variables that are not supported.
    /// - Throws: ``UsageError``, which names the option or the variable.
    public static func configuration(
        options: [(name: String, text: String)],
        environment: [String: String]
    ) throws(UsageError) -> (configuration: ServerConfiguration, unknown: [String]) {
        var configuration = try ServerSetting.configuration(all, options: options, environment: environment)
        if configuration.pipeline.transport.proxies == .none {
            do throws(CalotypeError) {
                configuration.pipeline.transport.proxies = try ProxyRules(environment: environment)
            } catch {
                throw UsageError(error.message)
            }
        }
        try check(configuration)
        let known = Set(all.flatMap(\.imgproxyVariables))
        let unknown = environment.filter {
            $0.key.hasPrefix("IMGPROXY_") && !$0.value.isEmpty && !known.contains($0.key)
        }
        return (configuration, unknown.keys.sorted())
    }

    /// Checks settings that depend on each other.
    private static func check(_ configuration: ServerConfiguration) throws(UsageError) {
        let (keys, salts) = (configuration.signing.keys.count, configuration.signing.salts.count)
        guard keys == salts else {
            let missing =
                keys > salts ? "--salt (CALOTYPE_SALT, IMGPROXY_SALT)" : "--key (CALOTYPE_KEY, IMGPROXY_KEY)"
            throw UsageError(
                "\(missing): there are \(keys) keys and \(salts) salts; each key needs a salt of its own"
            )
        }
        do throws(ServerError) { try configuration.checkPaths() } catch {
            throw UsageError(error.message)
        }
    }
}

// The format of the tables: option, value type, property, imgproxy's names, help. Settings are applied in
// order.
extension ServerSettings {
    static let seconds = ValueType<Duration>.seconds(0...31_536_000)
    static let count = ValueType<Int>.integer(1...1_000_000)

    /// Returns the result of `body`, and turns an error into a problem with the value.
    static func sense<Output>(
        _ body: () throws(ServerError) -> Output
    ) throws(UsageError) -> Output {
        do throws(ServerError) { return try body() } catch {
            throw UsageError("is invalid: \(error.message)")
        }
    }
}
