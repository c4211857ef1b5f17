import Calotype
import CalotypeBulk
import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypeTerminal
import TaskFlow

/// Prints apps on standard output: as JSON, or as a table with icons if the terminal can show images.
struct AppStoreDisplay: Sendable {
    private static let output = TerminalOutput.standardOutput
    /// Maximum time to wait for icons before the prompt returns.
    private static let patience = Duration.seconds(15)

    private let run: CatalogRun
    private let pipeline: ImagePipeline
    private let style: PictureStyle

    init(_ run: CatalogRun, _ pipeline: ImagePipeline) {
        self.run = run
        self.pipeline = pipeline
        style = PictureDisplayOptions.style(run.arguments, on: Self.output)
    }

    /// Prints everything but the icons immediately; prints nothing if there are no apps.
    ///
    /// - Returns: The space left for the icons, if they are to be shown.
    func show(_ apps: [AppStoreEntity]) throws -> PictureColumn? {
        guard !apps.isEmpty else { return nil }
        if run.arguments[CatalogOptions.json] {
            try Self.output.write(apps.map(AppStoreTable.json).joined())
            return nil
        }
        let table = AppStoreTable.table(apps)
        guard Self.output.isTerminal else {
            try write(table.lines())
            return nil
        }
        guard style != .none, let screen = ScreenSize.of(Self.output) else {
            try write(table.lines(width: Self.output.columns))
            return nil
        }
        let column = PictureColumn(rows: apps.count, on: screen)
        try write(column.lines(of: table.lines(width: max(1, screen.columns - column.columns))))
        return column
    }

    /// Draws the icons of `apps` into their space as they arrive.
    ///
    /// - Returns: The errors of the icons that cannot be shown. Until this returns, the cursor must not move.
    func fill(_ column: PictureColumn, with apps: [AppStoreEntity]) async throws -> [CalotypeError] {
        guard let screen = ScreenSize.of(Self.output) else { return [] }
        let box = PictureBox(columns: column.pictureColumns, rows: column.rowHeight, on: screen)
        let deadline = ContinuousClock.now + Self.patience
        let inline = InlinePictures(Self.output, screen: screen)
        return try await withPictureDrawing(style) { drawing in
            try await withConcurrentResults(of: column.rowsInSight(on: screen), limit: 64) { index in
                let bitmap = try await pipeline.bitmap(for: request(apps[index], box, by: deadline))
                return try await drawing.picture(of: bitmap, in: box)
            } body: { results in
                var failures: [CalotypeError] = []
                for await element in results {
                    switch element.result {
                    case .success(let picture):
                        let lines = column.linesAboveCursor(ofRow: element.input)
                        try inline.draw(picture, linesAbove: lines, column: 0)
                    case .failure(let error):
                        if let error = error as? CalotypeError { failures.append(error) }
                    }
                }
                try Task.checkCancellation()
                return failures
            }
        }
    }

    /// Reports icons that cannot be shown, once for each error code.
    func tell(_ failures: [CalotypeError]) {
        for (code, errors) in Dictionary(grouping: failures, by: \.code).sorted(by: {
            $0.key.rawValue < $1.key.rawValue
        }) {
            guard let first = errors.first else { continue }
            let count = errors.count == 1 ? "1 icon is not shown" : "\(errors.count) icons are not shown"
            run.complain("\(count): \(code): \(first.url.map { "\($0): " } ?? "")\(first.message)")
        }
    }

    private func request(
        _ app: AppStoreEntity,
        _ box: PictureBox,
        by deadline: ContinuousClock.Instant
    ) -> ImageRequest {
        let room = box.pixels(for: style)
        // The App Store offers icons in these sizes.
        let side = [64, 128, 256].first { $0 >= max(room.width, room.height) } ?? 512
        var request = ImageRequest(app.iconURL(side: side), .fit(room.width, room.height))
        request.deadline = deadline
        request.cachePolicy = CacheOptions.policy(run.arguments)
        return request
    }

    private func write(_ lines: [String]) throws {
        try Self.output.write(lines.map { $0 + "\n" }.joined())
    }
}

/// Formats apps for people and for programs.
enum AppStoreTable {
    static func table(_ apps: [AppStoreEntity]) -> TextTable {
        var table = TextTable([
            .init("#", .right), .init("Name", leastWidth: 16),
            .init("Developer", leastWidth: 8, isDispensable: true),
            .init("Rating", .right, isDispensable: true),
            .init("Price", .right, isDispensable: true), .init("ID", .right),
        ])
        for app in apps {
            table.add([
                "\(app.position)", app.name, app.developer ?? "", rating(app), app.price ?? "", "\(app.id)",
            ])
        }
        return table
    }

    /// Formats a rating such as `4.53 (12,345)`; empty if the app has no ratings.
    static func rating(_ app: AppStoreEntity) -> String {
        app.rating.map { "\($0.text) (\(grouped($0.count)))" } ?? ""
    }

    /// Returns an app as a JSON object on one line.
    static func json(_ app: AppStoreEntity) -> String {
        var object = JSONObject()
        object.add("position", app.position)
        object.add("id", app.id)
        object.add("bundle_id", string: app.bundleID)
        object.add("name", string: app.name)
        object.add("developer", string: app.developer)
        object.add("rating", app.rating?.average)
        object.add("rating_count", app.rating?.count)
        object.add("price", string: app.price)
        object.add("store_page", string: URLCredentials.removed(from: app.storePage))
        object.add("icon", string: URLCredentials.removed(from: app.icon))
        object.add("phone_screenshots", strings: app.phoneScreenshots.map(URLCredentials.removed(from:)))
        object.add("tablet_screenshots", strings: app.tabletScreenshots.map(URLCredentials.removed(from:)))
        object.add("genres", strings: app.genres)
        object.add("version", string: app.version)
        object.add("description", string: app.summary)
        return object.text + "\n"
    }

    private static func grouped(_ number: Int) -> String {
        let digits = String(number)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }
}
