import CalotypeBulk
import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore

/// `calotype apps show`: what the App Store says of one app.
enum AppsShowCommand {
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
                "'\(operand)' is neither an app's number, such as 1234567890, nor a bundle's name, such as com.example.camera",
                program: CalotypeProgram.program.name,
                command: command.name
            )
        }
        return try await run.run { catalog, pipeline in
            let (app, skipped) = try await find(operand, id, arguments, catalog)
            let output = TerminalOutput.standardOutput
            try output.write(
                arguments[CatalogOptions.json]
                    ? AppsTable.json(app) : AppPage(app).text(width: output.isTerminal ? output.columns : 80)
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
    ) async throws -> (AppEntity, [SkippedEntry]) {
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
                "what the store says of \(operand) cannot be read: \(entry.reason)"
            )
        }
        throw CatalogError(
            .noSuchApp,
            "the store '\(country)' has no app \(operand); another country's may (--country)"
        )
    }

    private static func pictures(_ app: AppEntity) -> [PictureFiles.Entry] {
        let kinds = [("phone", app.phoneScreenshots), ("tablet", app.tabletScreenshots)]
        return kinds.flatMap { kind, urls in
            urls.enumerated().map { .init(name: "\(app.id)-\(kind)-\($0.offset + 1)", url: $0.element) }
        }
    }
}
