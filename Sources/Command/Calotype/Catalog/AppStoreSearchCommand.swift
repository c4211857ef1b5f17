import Calotype
import CalotypeBulk
import CalotypeCatalog
import CalotypeCommandLineKit

/// `calotype apps search`: searches the App Store.
enum AppStoreSearchCommand {
    private static let icons = Option(
        "icons",
        .text("DIR"),
        "Download the icons unchanged into this folder, named ID.png and so on. Created if missing."
    )

    static let command = Command(
        "apps search",
        summary: "search the App Store",
        discussion: [
            """
            Prints a table of results: position, name, developer, rating and number of ratings, price, and \
            the ID that apps show takes. Several words are one search term. If the terminal can show images, \
            the icons are filled in as they arrive. The table does not wait for them; icons that have not \
            arrived after 15 seconds are left out.
            """,
            """
            Responses are cached for as long as the store allows. The real store accepts about 20 searches a \
            minute; further searches wait for their turn. If the store still refuses a search, the error is \
            rate_limited and says when to try again.
            """,
            """
            An entry that cannot be read is skipped and reported on standard error; the exit code is then 1. \
            It is also 1 if an icon could not be written. Finding nothing is not an error; the exit code is \
            0.
            """,
        ],
        operands: .init("TERM...", count: 1...64),
        groups: [
            .init(
                "Search",
                [CatalogOptions.country, CatalogOptions.limit, CatalogOptions.language]
            ),
            .init("Output", [CatalogOptions.json, icons, PictureDisplayOptions.pictures]),
            CatalogOptions.network, CacheOptions.group,
        ],
        exclusive: CacheOptions.exclusive,
        glossary: (
            "JSON fields",
            [
                .init("position", "Position in the store's response, from 1."),
                .init("id, bundle_id", "The store's number for the app; its bundle ID, or null."),
                .init("name, developer, price, version", "Strings; the last three can be null."),
                .init(
                    "rating, rating_count",
                    "Average number of stars, 0 to 5, and number of ratings; null if there are none."
                ),
                .init("store_page, icon", "URLs."),
                .init("phone_screenshots, tablet_screenshots", "Arrays of URLs."),
                .init("genres, description", "An array of strings, the main genre first; a string."),
            ]
        ),
        examples: [
            .init(
                "Find ten photo apps in the German store",
                "calotype apps search photo editor --country de --limit 10"
            ),
            .init("Print only the names", "calotype apps search weather --json | jq -r .name"),
            .init(
                "Search a local test server",
                "calotype apps search camera --api http://127.0.0.1:8080 --allow-private"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let run = CatalogRun(command: command.name, arguments: arguments)
        let query = CatalogOptions.query(arguments.operands.joined(separator: " "), arguments)
        return try await run.run { catalog, pipeline in
            let response = try await catalog.apps.response(to: query)
            let skipped = response.skipped.filter { $0.part == .entry }
            try await show(
                response.apps,
                AppStoreDisplay(run, pipeline),
                tellsFailures: arguments[icons] == nil
            )
            run.tell(skipped)
            guard !response.apps.isEmpty else { return none(query, skipped, run) }
            let failures = try await PictureFiles(run, pipeline).load(
                response.apps.map { .init(name: "\($0.id)", url: $0.icon) },
                into: arguments[icons],
                as: "icon"
            )
            return (failures ?? 0) > 0 || !skipped.isEmpty ? 1 : 0
        }
    }

    /// Prints the apps and fills in their icons.
    ///
    /// Icons that fail are reported here or with their files.
    private static func show(
        _ apps: [AppStoreEntity],
        _ display: AppStoreDisplay,
        tellsFailures: Bool
    ) async throws {
        guard let column = try display.show(apps) else { return }
        let failures = try await display.fill(column, with: apps)
        if tellsFailures { display.tell(failures) }
    }

    /// Reports that there is nothing to show: the store found nothing, or no result could be read.
    private static func none(_ query: AppStoreQuery, _ skipped: [SkippedEntry], _ run: CatalogRun) -> Int32 {
        guard skipped.isEmpty else {
            run.complain("none of the apps that the store found could be read")
            return 3
        }
        run.complain("no apps found for '\(query.term)' in the store '\(query.country)'")
        return 0
    }
}
