import Calotype
import CalotypeBulk
import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles

/// `calotype album`: the photos of an album.
enum AlbumCommand {
    private static let folder = Option(
        "output",
        short: "o",
        .text("DIR"),
        "Download the photos unchanged into this folder, named ID.png and so on. Created if missing."
    )

    static let command = Command(
        "album",
        summary: "list or download the photos of an album",
        discussion: [
            """
            Albums come from JSONPlaceholder, which has albums 1 to 100 with 50 photos each. Its photos are \
            on a host that has been failing for years: expect most of them to fail, each with a reason. For \
            smaller images and a report, use calotype fetch --album.
            """
        ],
        operands: .init("ID", count: 1...1),
        groups: [
            .init("Output", [CatalogOptions.json, folder]), CatalogOptions.network, CacheOptions.group,
        ],
        exclusive: CacheOptions.exclusive,
        glossary: (
            "JSON fields",
            [
                .init(
                    "position, id, album_id",
                    "Position in the response, from 1; the photo's number; the album's number."
                ),
                .init("title, url, thumbnail_url", "Strings; thumbnail_url can be null."),
            ]
        ),
        examples: [
            .init("List an album", "calotype album 7"),
            .init("Download its photos as thumbnails", "calotype fetch --album 7 --output photos --size 256"),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let run = CatalogRun(command: command.name, arguments: arguments)
        let operand = arguments.operands.first ?? ""
        guard let id = Int(operand), id > 0 else {
            throw UsageError(
                "'\(operand)' is not an album ID",
                program: CalotypeProgram.program.name,
                command: command.name
            )
        }
        return try await run.run { catalog, pipeline in
            let album = try await catalog.album(id)
            try show(album.entries, arguments)
            run.tell(album.skipped)
            guard !album.entries.isEmpty else {
                run.complain(
                    album.skipped.isEmpty
                        ? "album \(id) has no photos" : "no photo of album \(id) could be read"
                )
                return album.skipped.isEmpty ? 0 : 3
            }
            let failures = try await PictureFiles(run, pipeline).load(
                album.entries.map { .init(name: "\($0.id)", url: $0.url) },
                into: arguments[folder],
                as: "photo"
            )
            if failures == album.entries.count { return 3 }
            return (failures ?? 0) > 0 || !album.skipped.isEmpty ? 1 : 0
        }
    }

    private static func show(_ photos: [AlbumPhoto], _ arguments: ParsedArguments) throws {
        let output = TerminalOutput.standardOutput
        if arguments[CatalogOptions.json] { return try output.write(photos.map(json).joined()) }
        guard !photos.isEmpty else { return }
        var table = TextTable([
            .init("#", .right), .init("ID", .right), .init("Title", leastWidth: 20),
            .init("URL", leastWidth: 20),
        ])
        for photo in photos {
            table.add(["\(photo.position)", "\(photo.id)", photo.title, shown(photo.url)])
        }
        let lines = table.lines(width: output.isTerminal ? output.columns : nil)
        try output.write(lines.map { $0 + "\n" }.joined())
    }

    private static func json(_ photo: AlbumPhoto) -> String {
        var object = JSONObject()
        object.add("position", photo.position)
        object.add("id", photo.id)
        object.add("album_id", photo.albumID)
        object.add("title", string: photo.title)
        object.add("url", string: shown(photo.url))
        object.add("thumbnail_url", string: photo.thumbnailURL.map(shown))
        return object.text + "\n"
    }

    private static func shown(_ url: String) -> String { URLCredentials.removed(from: url) }
}
