import Calotype
import CalotypeBulk
import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore

/// The source of URLs for `fetch`: a list, or a catalogue.
enum FetchSource: Sendable {
    static let apps = Option(
        "apps",
        .text("TERM"),
        "Icons of the apps that the App Store finds for these words."
    )
    static let album = Option("album", .integer(1...Int.max, placeholder: "ID"), "Photos of this album.")
    static let robot = Option("robot", .text("TEXT"), repeats: true, "Robohash image for this text.")
    static let jsonPath = Option(
        "json-path",
        .jsonPath,
        """
        Image URLs at this path of the JSON document whose URL is given, such as $.photos[*].url, \
        items[0].image or $['a key'][*].
        """
    )
    static let group = Command.Group(
        "Sources other than a list",
        [
            apps, album, robot, jsonPath, CatalogOptions.api, CatalogOptions.country, CatalogOptions.limit,
            CatalogOptions.language,
        ]
    )
    static let exclusive = [[apps.spec.name, album.spec.name, robot.spec.name, jsonPath.spec.name]]

    case list(ListSource)
    case apps(AppStoreQuery)
    case album(Int)
    case robots([String])
    case json(url: String, path: JSONPath)

    /// - Throws: `BulkError` if the list cannot be used; `UsageError` if arguments exclude each other.
    init(_ arguments: ParsedArguments) throws {
        if arguments[Self.apps] == nil { try Self.refuseSearchOptions(arguments) }
        if let path = arguments[Self.jsonPath] {
            if arguments[FetchOptionsGroup.allowFiles] {
                throw Self.error("--allow-files goes with a list, and not with --json-path")
            }
            guard let url = arguments.operands.first, arguments.operands.count == 1, url.contains("://")
            else {
                throw Self.error("--json-path goes with the URL of one JSON document")
            }
            self = .json(url: url, path: path)
            return
        }
        let source: FetchSource? =
            if let term = arguments[Self.apps] {
                .apps(CatalogOptions.query(term, arguments))
            } else if let id = arguments[Self.album] {
                .album(id)
            } else if !arguments.all(Self.robot).isEmpty {
                .robots(arguments.all(Self.robot))
            } else {
                nil
            }
        guard let source else {
            guard !arguments.operands.isEmpty else {
                throw Self.error(
                    "LIST|URL... is missing; or name a source with --apps, --album, --robot or --json-path"
                )
            }
            self = .list(try ListSource(operands: arguments.operands))
            return
        }
        if arguments[FetchOptionsGroup.allowFiles] {
            throw Self.error("--allow-files goes with a list, and not with \(source.option)")
        }
        guard arguments.operands.isEmpty else {
            throw Self.error(
                "'\(arguments.operands[0])' and \(source.option) are two sources; give only one"
            )
        }
        self = source
    }

    /// Whether the URLs come from a catalogue.
    var isCatalogue: Bool {
        if case .list = self { false } else { true }
    }

    /// Returns the list, or the URLs from the catalogue; `nil` if there are none, after reporting that.
    ///
    /// - Throws: `CatalogError`; `CancellationError`.
    func list(_ catalog: Catalog, _ run: CatalogRun) async throws -> ListSource? {
        switch self {
        case .list(let source):
            return source
        case .apps(let query):
            let listing = try await catalog.apps.response(to: query).listing
            let apps = CatalogListing(
                entries: listing.entries.map(\.icon),
                skipped: listing.skipped,
                cache: listing.cache
            )
            return urls(apps, "no apps found for '\(query.term)' in the store '\(query.country)'", run)
        case .album(let id):
            let listing = try await catalog.album(id)
            let photos = CatalogListing(
                entries: listing.entries.map(\.url),
                skipped: listing.skipped,
                cache: listing.cache
            )
            return urls(photos, "album \(id) has no photos", run)
        case .robots(let texts):
            return .urls(try texts.map { try catalog.robot($0).url })
        case .json(let url, let path):
            let listing = try await catalog.pictures(at: url, path: path)
            let pictures = CatalogListing(
                entries: listing.entries.map(\.url),
                skipped: listing.skipped,
                cache: listing.cache
            )
            return urls(pictures, "\(url) has no URLs at \(path)", run)
        }
    }

    private func urls(_ listing: CatalogListing<String>, _ nothing: String, _ run: CatalogRun) -> ListSource?
    {
        run.tell(listing.skipped.filter { $0.part == .entry })
        guard listing.entries.isEmpty else { return .urls(listing.entries) }
        run.complain(nothing)
        return nil
    }

    private var option: String {
        switch self {
        case .list: ""
        case .apps: "--apps"
        case .album: "--album"
        case .robots: "--robot"
        case .json: "--json-path"
        }
    }

    private static func refuseSearchOptions(_ arguments: ParsedArguments) throws(UsageError) {
        let given = [
            ("--country", arguments[CatalogOptions.country] != nil),
            ("--limit", arguments[CatalogOptions.limit] != nil),
            ("--lang", arguments[CatalogOptions.language] != nil),
        ]
        if let option = given.first(where: { $0.1 }) { throw error("\(option.0) goes with --apps") }
    }

    private static func error(_ message: String) -> UsageError {
        UsageError(message, program: CalotypeProgram.program.name, command: FetchCommand.command.name)
    }
}

extension ValueType where Value == JSONPath {
    /// A path into a JSON document.
    fileprivate static var jsonPath: ValueType {
        ValueType(placeholder: "PATH") { text throws(UsageError) in
            do throws(CatalogError) {
                return try JSONPath(text)
            } catch {
                throw UsageError("is not a JSON path: \(error.message)")
            }
        }
    }
}
