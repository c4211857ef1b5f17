public import CalotypeCatalog
public import CalotypeCore
public import CalotypeHTTP
import CalotypeHTTPListener
public import CalotypePublish
public import CalotypeServer
public import CalotypeServerSettings

/// What a server is told about the web app.
public struct AppOptions: Configurable, Hashable {
    /// Whether the app is served; `false` by default.
    public var isOn = false
    /// What everybody has to know who uses it; nobody has to know anything by default.
    public var token: String?
    /// The base of the services that the catalogue asks; the real services by default.
    public var api: String?
    /// The names of the profiles that posts may be published with; none by default.
    public var profiles: [String] = []
    /// The folder for files that are to be published; below the user's folder for state by default.
    public var folder: String?

    /// Creates the default: no app.
    public init() {}

    /// Refuses what is not safe, or cannot work, with a server of this configuration.
    ///
    /// - Throws: ``SettingError``, which says what to do.
    public func check(with server: ServerConfiguration) throws(SettingError) {
        guard isOn else { return }
        if let problem = problem(with: server) { throw SettingError(problem) }
    }

    /// What the app may do.
    ///
    /// - Parameters:
    ///   - server: The server that it is served by.
    ///   - environment: Where profiles, credentials and folders are looked for.
    /// - Returns: The configuration.
    /// - Throws: `CalotypeError` for a profile that cannot be used, or where there is no folder for files.
    public func configuration(
        with server: ServerConfiguration,
        environment: [String: String]
    ) throws(CalotypeError) -> AppConfiguration {
        var configuration = AppConfiguration()
        configuration.token = token
        if let api { configuration.services = CatalogServices(base: api) }
        // A server that was named may be anywhere; the real services have no reason to be at a private address.
        let isAnywhere = api != nil || server.allowsPrivateAddresses
        configuration.catalogPolicy = isAnywhere ? .any : .publicOnly
        for name in profiles {
            configuration.profiles[name] = try PublishTarget(to: name).profile(environment: environment)
        }
        guard !profiles.isEmpty else { return configuration }
        if let folder {
            configuration.folder = folder
        } else {
            configuration.folder = try Self.defaultFolder(environment)
        }
        return configuration
    }

    private func problem(with server: ServerConfiguration) -> String? {
        if token == nil, !HostName(server.listener.host).isLoopback {
            return """
                --app at \(server.listener.host), which others can reach, needs a token: set CALOTYPE_APP_TOKEN to a long \
                random text, or listen at 127.0.0.1
                """
        }
        if server.secret != nil {
            return
                "--app does not work with --secret, which browsers cannot send with pictures; use --app-token"
        }
        if server.paths.onlyPresets {
            return "--app does not work with --only-presets: it asks for pictures in the sizes of its pages"
        }
        if let allowed = server.paths.allowedOptions, !allowed.contains(.resize) {
            return "--app needs the option resize (rs); add it to --allowed-options"
        }
        if ["/app", "/api"].contains("/" + (server.paths.prefix.split(separator: "/").first ?? "")) {
            return "--path-prefix \(server.paths.prefix) is where the app is; take another"
        }
        return nil
    }

    private static func defaultFolder(_ environment: [String: String]) throws(CalotypeError) -> String {
        // The specification of XDG's folders says to ignore a path that is not absolute.
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/.local/state" : nil }
        guard let folder = state ?? home else {
            throw CalotypeError(
                .storageFailed,
                "there is no home folder for the app's files; name a folder with --app-folder",
                stage: .request
            )
        }
        return "\(folder)/calotype/app"
    }
}

/// What the web app may do, and for whom.
public struct AppConfiguration: Sendable {
    /// What everybody has to know who uses the API; `nil`, the default, lets everybody use it who reaches the server.
    public var token: String?
    /// Whom the catalogue asks; the real services by default.
    public var services = CatalogServices.real
    /// Which addresses those services may have, any by default; what their answers name is bound by the server's own policy.
    public var catalogPolicy = AddressPolicy.any
    /// The servers that posts may be published to, by the names that the app shows; none by default.
    public var profiles: [String: PublishProfile] = [:]
    /// The folder in which the app keeps files that are to be published, posts and the journal; without one nothing is published.
    public var folder: String?
    /// The program's version, which the API tells.
    public var version = ""

    /// The clock of the app's waits.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Tells the time that posts and files are marked with.
    public var wallClock: @Sendable () -> WallTime = WallTime.now
    /// How much of what is to be published is kept.
    var fileLimits = FileShelf.Limits()

    /// Creates the default configuration.
    public init() {}
}
