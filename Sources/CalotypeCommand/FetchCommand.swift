import Calotype
import CalotypeBulk
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
            Without a size the pictures keep theirs. They come out upright, in sRGB and without metadata, and are \
            never enlarged unless asked. A URL that fails does not end the run: the report says why, with a stable \
            code.
            """,
        ],
        operands: .init("LIST|URL...", count: 1...1_000_000),
        groups: [
            FetchOptionsGroup.output, PictureOptions.group, FetchOptionsGroup.network, CacheOptions.group,
            FetchOptionsGroup.run,
        ],
        required: [FetchOptionsGroup.folder.spec.name],
        exclusive: PictureOptions.exclusive + CacheOptions.exclusive + [["quiet", "progress"]],
        examples: [
            .init("Thumbnails of a list", "calotype fetch urls.txt --output thumbs --size 256"),
            .init(
                "Squares in WebP with a report and a page to look at",
                "calotype fetch urls.txt --output out --fill 512x512 --format webp "
                    + "--report report.jsonl --contact-sheet sheet.html"
            ),
            .init("From a pipe", "grep -h jpg access.txt | calotype fetch - --output out --size 640"),
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        do {
            let options = try FetchOptionsGroup.options(arguments)
            let trace = try arguments[FetchOptionsGroup.trace].map { path throws(FetchSetupError) in
                try TraceFile(path: path)
            }
            let display = FetchDisplay(arguments, trace)
            var configuration = FetchOptionsGroup.configuration(arguments)
            configuration.diskCache = CacheOptions.cache(arguments, onNotice: display.note)
            let run = try await withInterruption { [configuration] in
                try await TaskTrace.recording(to: trace?.recorder) {
                    try await withImagePipeline(configuration) { pipeline in
                        try await FetchJob(
                            options,
                            loader: pipeline,
                            onEvent: display.show,
                            onAbandon: display.abandon
                        ).run()
                    }
                }
            }
            await display.end(run.result)
            return run.result.exitCode
        } catch let error as FetchSetupError {
            Main.complain("calotype fetch: \(error.description)\n")
            return UsageError.exitCode
        } catch is CancellationError {
            return 130
        }
    }
}
