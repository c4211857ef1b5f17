import CalotypeBulk
import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore

/// `calotype apps show`: shows what the App Store says about one app.
enum AppStoreShowCommand {
    private static let screenshots = Option(
        "screenshots",
        .text("DIR"),
        "Download the screenshots into this folder, named ID-phone-1.jpg and so on. Created if missing."
    )

    static let command = Command(
        "apps show",
        summary: "show what the App Store says about an app",
        discussion: [
            """
            ID is the number that apps search prints, or a bundle ID such as com.example.camera. If the \
            store of this country does not have the app, the error is no_such_app.
            """
        ],
        operands: .init("ID", count: 1...1),
        groups: [
            .init("Store", [CatalogOptions.country, CatalogOptions.language]),
            .init("Output", [CatalogOptions.json, screenshots]),
            CatalogOptions.network, CacheOptions.group,
        ],
        exclusive: CacheOptions.exclusive,
        glossary: ("JSON", [.init("Fields", "The same as for apps search; position is 1.")]),
        examples: [
            .init("Show an app", "calotype apps show 1234567890"),
            .init("Download its screenshots", "calotype apps show com.example.camera --screenshots shots"),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let run = CatalogRun(command: command.name, arguments: arguments)
        let operand = arguments.operands.first ?? ""
        let id = Int(operand)
        guard id.map({ $0 > 0 }) ?? operand.contains(".") else {
            throw UsageError(
                "'\(operand)' is neither an app ID, such as 1234567890, nor a bundle ID, such as com.example.camera",
                program: CalotypeProgram.program.name,
                command: command.name
            )
        }
        return try await run.run { catalog, pipeline in
            let (app, skipped) = try await find(operand, id, arguments, catalog)
            let output = TerminalOutput.standardOutput
            try output.write(
                arguments[CatalogOptions.json]
                    ? AppStoreTable.json(app)
                    : AppStorePage(app).text(width: output.isTerminal ? output.columns : 80)
            )
            run.tell(skipped)
            let failures = try await PictureFiles(run, pipeline).load(
                pictures(app),
                into: arguments[screenshots],
                as: "screenshot"
            )
            return (failures ?? 0) > 0 || !skipped.isEmpty ? 1 : 0
        }
    }

    private static func find(
        _ operand: String,
        _ id: Int?,
        _ arguments: ParsedArguments,
        _ catalog: Catalog
    ) async throws -> (AppStoreEntity, [SkippedEntry]) {
        let country = arguments[CatalogOptions.country] ?? "us"
        let language = arguments[CatalogOptions.language]
        let listing =
            if let id {
                try await catalog.apps.lookup([id], country: country, language: language)
            } else {
                try await catalog.apps.lookup(bundleIDs: [operand], country: country, language: language)
            }
        if let app = listing.entries.first { return (app, listing.skipped) }
        if let entry = listing.skipped.first {
            throw CatalogError(
                .invalidDocument,
                "the store's response for \(operand) cannot be read: \(entry.reason)"
            )
        }
        throw CatalogError(
            .noSuchApp,
            "the store '\(country)' has no app \(operand); try another country with --country"
        )
    }

    private static func pictures(_ app: AppStoreEntity) -> [PictureFiles.Entry] {
        let kinds = [("phone", app.phoneScreenshots), ("tablet", app.tabletScreenshots)]
        return kinds.flatMap { kind, urls in
            urls.enumerated().map { .init(name: "\(app.id)-\(kind)-\($0.offset + 1)", url: $0.element) }
        }
    }
}

/// The page of one app: its name, the known facts in two columns, and its description.
struct AppStorePage {
    private let app: AppStoreEntity

    init(_ app: AppStoreEntity) {
        self.app = app
    }

    func text(width: Int) -> String {
        let column = (rows.map(\.name.count).max() ?? 0) + 4
        let facts = rows.map { row in
            "  \(row.name)\(String(repeating: " ", count: column - 2 - row.name.count))\(TerminalText.line(row.value))\n"
        }
        let description = TerminalText.lines(app.summary).map {
            TextWrap.wrap($0, width: min(width, 100)) + "\n"
        }
        return "\(TerminalText.line(app.name))\n\(facts.joined())"
            + (app.summary.isEmpty ? "" : "\n\(description.joined())")
    }

    /// The known facts; unknown ones have no row.
    private var rows: [(name: String, value: String)] {
        let rows: [(String, String?)] = [
            ("id", "\(app.id)"),
            ("bundle", app.bundleID),
            ("developer", app.developer),
            ("version", app.version),
            ("price", app.price),
            ("rating", app.rating == nil ? "none yet" : AppStoreTable.rating(app)),
            ("genres", app.genres.isEmpty ? nil : app.genres.joined(separator: ", ")),
            ("screenshots", screenshots),
            ("icon", URLCredentials.removed(from: app.icon)),
            ("store page", URLCredentials.removed(from: app.storePage)),
        ]
        return rows.compactMap { row in row.1.map { (row.0, $0) } }
    }

    private var screenshots: String {
        let kinds = [("phone", app.phoneScreenshots.count), ("tablet", app.tabletScreenshots.count)]
        let told = kinds.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        return told.isEmpty ? "none" : told.joined(separator: ", ")
    }
}
