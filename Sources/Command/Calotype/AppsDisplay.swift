import Calotype
import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeTerminal
import TaskFlow

/// The apps of an answer on standard output: as JSON, or as a table with icons where the terminal shows pictures.
struct AppsDisplay: Sendable {
    private static let output = TerminalOutput.standardOutput
    /// How long the user's prompt waits for icons.
    private static let patience = Duration.seconds(15)

    private let run: CatalogRun
    private let pipeline: ImagePipeline
    private let style: PictureStyle

    init(_ run: CatalogRun, _ pipeline: ImagePipeline) {
        self.run = run
        self.pipeline = pipeline
        style = PictureDisplayOptions.style(run.arguments, on: Self.output)
    }

    /// Prints all but the icons, at once; nothing for no apps.
    ///
    /// - Returns: The room that is left for the icons, if they are to be shown.
    func show(_ apps: [AppEntity]) throws -> PictureColumn? {
        guard !apps.isEmpty else { return nil }
        if run.arguments[CatalogOptions.json] {
            try Self.output.write(apps.map(AppsTable.json).joined())
            return nil
        }
        let table = AppsTable.table(apps)
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

    /// Draws the icons of `apps` into their room as they come.
    ///
    /// - Returns: What became of those that cannot be shown; the cursor must stay where it is until then.
    func fill(_ column: PictureColumn, with apps: [AppEntity]) async throws -> [CalotypeError] {
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

    /// Tells of icons that cannot be shown, once for each reason.
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
        _ app: AppEntity,
        _ box: PictureBox,
        by deadline: ContinuousClock.Instant
    ) -> ImageRequest {
        let room = box.pixels(for: style)
        // The sizes that icons are offered in.
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
