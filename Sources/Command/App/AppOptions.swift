public import CalotypeCatalog
public import CalotypeCommandLineKit
public import CalotypeCore
public import CalotypeHTTP
import CalotypeHTTPListener
public import CalotypePublish
public import CalotypeServer
public import CalotypeServerSettings

/// The settings of the web app.
public struct AppOptions: Configurable, Hashable {
    /// Whether the app is served; `false` by default.
    public var isOn = false
    /// The token that users must know; none by default.
    public var token: String?
    /// The base URL of the catalogue's services; the real services by default.
    public var api: String?
    /// The names of the profiles for publishing; none by default.
    public var profiles: [String] = []
    /// The folder for files to be published; below the user's state folder by default.
    public var folder: String?

    /// Creates the default, without the app.
    public init() {}

    /// Checks that the settings are safe and work with the server's configuration.
    ///
    /// - Throws: ``UsageError``, which says what to do.
    public func check(with server: ServerConfiguration) throws(UsageError) {
        guard isOn else { return }
        if let problem = problem(with: server) { throw UsageError(problem) }
    }

    /// Returns the app's configuration.
    ///
    /// - Parameters:
    ///   - server: The configuration of the server that serves the app.
    ///   - environment: The variables for finding profiles, credentials and folders.
    /// - Returns: The configuration.
    /// - Throws: `CalotypeError` for a profile that cannot be used, or if there is no folder for files.
    public func configuration(
        with server: ServerConfiguration,
        environment: [String: String]
    ) throws(CalotypeError) -> AppConfiguration {
        var configuration = AppConfiguration()
        configuration.token = token
        if let api { configuration.services = CatalogServices(base: api) }
        // A server that the user names may be anywhere; the real services never need a private address.
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
                --app at \(server.listener.host) needs a token, because others can reach it: set CALOTYPE_APP_TOKEN to a long \
                random text, or listen on 127.0.0.1
                """
        }
        if server.secret != nil {
            return
                "--app does not work with --secret, which browsers cannot send with pictures; use --app-token"
        }
        if server.paths.onlyPresets {
            return "--app does not work with --only-presets: it requests images in the sizes of its pages"
        }
        if let allowed = server.paths.allowedOptions, !allowed.contains(.resize) {
            return "--app needs the option resize (rs); add it to --allowed-options"
        }
        if ["/app", "/api"].contains("/" + (server.paths.prefix.split(separator: "/").first ?? "")) {
            return "--path-prefix \(server.paths.prefix) conflicts with the app; choose another prefix"
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
                "no home directory for the app's files; set a folder with --app-folder",
                stage: .request
            )
        }
        return "\(folder)/calotype/app"
    }
}

/// The configuration of the web app.
public struct AppConfiguration: Sendable {
    /// The token that users of the API must know.
    ///
    /// If it is `nil`, the default, everyone who reaches the server can use the API.
    public var token: String?
    /// The services that the catalogue queries; the real services by default.
    public var services = CatalogServices.real
    /// The allowed addresses of those services, any by default.
    ///
    /// The server's own policy applies to the URLs in their responses.
    public var catalogPolicy = AddressPolicy.any
    /// The servers to publish to, by the names that the app shows; none by default.
    public var profiles: [String: PublishProfile] = [:]
    /// The folder for files to be published, posts and the journal; without one, publishing is disabled.
    public var folder: String?
    /// The program's version, which the API reports.
    public var version = ""

    /// The clock for the app's waits.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Returns the time for posts and files.
    public var wallClock: @Sendable () -> WallTime = WallTime.now
    /// The limits for files to be published.
    var fileLimits = FileShelf.Limits()

    /// Creates the default configuration.
    public init() {}
}
