import CalotypeApp
import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP

/// The options that choose the services and limit the query; all catalogue commands share them.
enum CatalogOptions {
    static let variable = "CALOTYPE_API"

    static let api = Option(
        "api",
        .serviceBase,
        default: "$\(variable), or the real services",
        """
        Use this server instead of the App Store, JSONPlaceholder and Robohash, such as one started with \
        calotype origin. Its paths are /search, /lookup, /albums and /robots.
        """
    )
    static let country = Option(
        "country",
        .country,
        default: "us",
        "App Store country, two letters (ISO 3166)."
    )
    static let language = Option(
        "lang",
        .text("LANG"),
        default: "the store's",
        "Language of the App Store's responses, such as en_us."
    )
    static let limit = Option(
        "limit",
        .integer(1...200),
        default: "\(defaultLimit)",
        "Maximum number of apps to find, 1 to 200."
    )
    static let json = Flag("json", "Print one JSON object per line, one for each result, for programs.")

    static let defaultLimit = 20

    /// The environment variable, for the program's help and the manual page.
    static let environment = Program.Definition(
        variable,
        "Server to use instead of the App Store, JSONPlaceholder and Robohash; --api takes precedence."
    )

    /// The network options of the commands that load images from a catalogue.
    static let network = Command.Group(
        "Network",
        [api, AddressOptions.publicByDefault] + NetworkOptions.all
    )

    /// Returns the services to query.
    ///
    /// - Throws: `UsageError` if `CALOTYPE_API` is not a URL.
    static func configuration(
        _ arguments: ParsedArguments,
        command: String
    ) throws(UsageError) -> CatalogConfiguration {
        let base = try base(arguments, command: command)
        var configuration = CatalogConfiguration(services: base.map { CatalogServices(base: $0) } ?? .real)
        configuration.cachePolicy = CacheOptions.policy(arguments)
        // A server that the user names may be anywhere; the real services never need a private address.
        configuration.addressPolicy = base != nil ? .any : AddressOptions.policy(arguments) ?? .publicOnly
        return configuration
    }

    static func query(_ term: String, _ arguments: ParsedArguments) -> AppStoreQuery {
        AppStoreQuery(
            term,
            country: arguments[country] ?? "us",
            limit: arguments[limit] ?? defaultLimit,
            language: arguments[language]
        )
    }

    private static func base(_ arguments: ParsedArguments, command: String) throws(UsageError) -> String? {
        if let base = arguments[api] { return base }
        guard let text = EnvironmentVariables.value(of: variable) else { return nil }
        do throws(UsageError) {
            return try ValueType.serviceBase.parse(text)
        } catch {
            throw UsageError(
                "\(variable) '\(text)' \(error.message)",
                program: CalotypeProgram.program.name,
                command: command
            )
        }
    }
}

extension ValueType where Value == String {
    /// A two-letter country code.
    fileprivate static var country: ValueType {
        ValueType(placeholder: "CC") { text throws(UsageError) in
            guard text.utf8.count == 2, text.allSatisfy({ $0.isASCII && $0.isLetter }) else {
                throw UsageError("is not a two-letter country code such as us or de")
            }
            return text.lowercased()
        }
    }
}
