import Calotype
import CalotypeBulk
import CalotypeCatalog
import CommandLineKit

/// `calotype apps search`: what the App Store has for some words.
enum AppsSearchCommand {
    private static let icons = Option(
        "icons",
        .text("DIR"),
        "Load the icons into this folder as they are, as ID.png and the like; made if missing."
    )

    static let command = Command(
        "apps search",
        summary: "search the App Store",
        discussion: [
            """
            Prints a table of what was found: place, name, developer, rating and how many rated, price, and the ID that \
            apps show takes. Several words are one term. Where the terminal can show pictures, the icons are filled in \
            as they come; the table does not wait for them, and those that have not come after 15 seconds are left out.
            """,
            """
            Answers are kept in the cache for as long as the store allows. The real store takes about 20 searches a \
            minute; more wait for their turn. When it refuses all the same, the error is rate_limited, and says when \
            to try again.
            """,
            """
            An entry that makes no sense is left out and told on standard error; the exit code is 1 then, and also \
            where an icon could not be written. That nothing was found is no failure: the exit code is 0.
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
            "Names in JSON",
            [
                .init("position", "The place in the store's answer, from 1."),
                .init("id, bundle_id", "The store's number; the bundle's name or null."),
                .init("name, developer, price, version", "Texts; the last three may be null."),
                .init(
                    "rating, rating_count",
                    "The average of the stars, 0 to 5, and how many rated; null without any."
                ),
                .init("store_page, icon", "URLs."),
                .init("phone_screenshots, tablet_screenshots", "Arrays of URLs."),
                .init("genres, description", "An array of texts, the main one first; a text."),
            ]
        ),
        examples: [
            .init(
                "Ten photo apps of the German store",
                "calotype apps search photo editor --country de --limit 10"
            ),
            .init("Only the names", "calotype apps search weather --json | jq -r .name"),
            .init(
                "With an origin of your own",
                "calotype apps search camera --api http://127.0.0.1:8080 --allow-private"
            ),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let run = CatalogRun(command: command.name, arguments: arguments)
        let query = CatalogOptions.query(arguments.operands.joined(separator: " "), arguments)
        return try await run.run { catalog, pipeline in
            let answer = try await catalog.apps.answer(to: query)
            let skipped = answer.skipped.filter { $0.part == .entry }
            try await show(answer.apps, AppsDisplay(run, pipeline), tellsFailures: arguments[icons] == nil)
            run.tell(skipped)
            guard !answer.apps.isEmpty else { return none(query, skipped, run) }
            let failures = try await PictureFiles(run, pipeline).load(
                answer.apps.map { .init(name: "\($0.id)", url: $0.icon) },
                into: arguments[icons],
                as: "icon"
            )
            return (failures ?? 0) > 0 || !skipped.isEmpty ? 1 : 0
        }
    }

    /// Prints the apps, and fills in their icons; those that cannot be shown are told here or with their files.
    private static func show(
        _ apps: [AppEntity],
        _ display: AppsDisplay,
        tellsFailures: Bool
    ) async throws {
        guard let column = try display.show(apps) else { return }
        let failures = try await display.fill(column, with: apps)
        if tellsFailures { display.tell(failures) }
    }

    /// Says that there is nothing to show: because there was nothing, or because nothing of it made sense.
    private static func none(_ query: AppQuery, _ skipped: [SkippedEntry], _ run: CatalogRun) -> Int32 {
        guard skipped.isEmpty else {
            run.complain("none of the apps that the store found could be read")
            return 3
        }
        run.complain("no apps found for '\(query.term)' in the store '\(query.country)'")
        return 0
    }
}
