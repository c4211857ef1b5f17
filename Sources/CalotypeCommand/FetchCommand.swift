import Calotype
import CalotypeBulk
import CalotypeCatalog
import CommandLineKit
import Glibc
import TaskFlow

/// `calotype fetch`: a list of URLs becomes a folder of pictures.
enum FetchCommand {
    static let command = Command(
        "fetch",
        summary: "turn a list of image URLs into a folder of right-sized pictures",
        discussion: [
            """
            LIST is a text file, or - for standard input, with one URL a line. Blank lines and lines that begin with # \
            are skipped; blanks and non-ASCII within a URL are percent-encoded. The list is read as it is needed.
            """,
            """
            The pictures are called 000000000.jpg and so on, by the URL's place in the list. Each appears when it is \
            complete; nothing else lies in the folder. A second run over the same folder leaves out what is complete \
            and tries again what failed.
            """,
            """
            With --sizes 256,512 they are called 000000000-256.jpg and 000000000-512.jpg; with --format jpeg,webp there is \
            a file of each format. An entry is complete when all its files are there: where one could not be made, the \
            entry has failed, the others stay, and the next run makes all of them anew. The report then has a list, \
            renditions, in the place of file, width, height and bytes.
            """,
            """
            Without a size the pictures keep theirs. They come out upright, in sRGB and without metadata, and are \
            never enlarged unless asked. A URL that fails does not end the run: the report says why, with a stable \
            code.
            """,
            """
            A full disk ends the run, and so does a report that nobody reads any more: what is done is kept, and the same \
            command goes on with the rest. The exit code is not 0 either where a report, page or trace could not be written, or \
            where files have gone by the end.
            """,
            """
            In the place of a list, the pictures may come from the App Store (--apps), an album (--album), Robohash \
            (--robot) or any JSON (--json-path). The answer is kept in the cache for its time; what it names is loaded \
            from public addresses only unless --allow-private, as a list's URLs are. That an answer names nothing is no failure.
            """,
        ],
        operands: .init("LIST|URL...", count: 0...1_000_000),
        groups: [
            FetchSource.group, FetchOptionsGroup.output, PictureOptions.several, FetchOptionsGroup.network,
            CacheOptions.group,
            FetchOptionsGroup.run,
        ],
        required: [FetchOptionsGroup.folder.spec.name],
        exclusive: PictureOptions.exclusive + CacheOptions.exclusive + FetchSource.exclusive + [
            ["quiet", "progress"]
        ],
        examples: [
            .init("Thumbnails of a list", "calotype fetch urls.txt --output thumbs --size 256"),
            .init(
                "Squares in WebP with a report and a page to look at",
                "calotype fetch urls.txt --output out --fill 512x512 --format webp "
                    + "--report report.jsonl --contact-sheet sheet.html"
            ),
            .init(
                "Three sizes in two formats from one decode",
                "calotype fetch urls.txt --output out --sizes 320,640,1280 --format jpeg,webp"
            ),
            .init("The icons of a search", "calotype fetch --apps weather --output icons --size 128"),
            .init(
                "The pictures that a JSON document names",
                "calotype fetch --json-path '$.items[*].image' https://example.com/feed.json --output out"
            ),
            .init("From a pipe", "grep -h jpg access.txt | calotype fetch - --output out --size 640"),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let catalogue = CatalogRun(command: command.name, arguments: arguments)
        do {
            let source = try FetchSource(arguments)
            var services = try CatalogOptions.configuration(arguments, command: command.name)
            let trace = try arguments[FetchOptionsGroup.trace].map { path throws(FetchSetupError) in
                try TraceFile(path: path)
            }
            let display = FetchDisplay(arguments, trace)
            var configuration = FetchOptionsGroup.configuration(arguments)
            configuration.diskCache = CacheOptions.cache(arguments, onNotice: display.note)
            if source.isCatalogue { configuration.stores.insert(.documents) }
            // A document's URL is one like those of a list, whatever service is named.
            if case .json = source { services.addressPolicy = configuration.addressPolicy }
            let run = try await withInterruption { [configuration, services] in
                try await TaskTrace.recording(to: trace?.recorder) {
                    try await withImagePipeline(configuration) { pipeline -> RunSummary? in
                        let catalog = Catalog(pipeline, services)
                        guard let list = try await source.list(catalog, catalogue) else { return nil }
                        return try await FetchJob(
                            FetchOptionsGroup.options(arguments, source: list),
                            loader: pipeline,
                            onEvent: display.show,
                            onAbandon: display.abandon
                        ).run()
                    }
                }
            }
            guard let summary = run.result else { return 0 }
            return await display.end(summary)
        } catch let error as FetchSetupError {
            catalogue.complain(error.description)
            return UsageError.exitCode
        } catch let error as CatalogError {
            catalogue.complain(error)
            return CatalogRun.exitCode(error)
        } catch is CancellationError {
            return 130
        }
    }
}
