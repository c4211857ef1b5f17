import CalotypeCodec
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypeOrigin
import CalotypePlatform
import CalotypeSamplePictures

/// `calotype origin`: runs a local test server with sample images and faults on demand.
enum OriginCommand {
    private static let port = Option(
        "port",
        .integer(0...65_535),
        default: "0",
        "Port on 127.0.0.1; 0 lets the kernel choose one."
    )
    private static let images = Option(
        "images",
        .text("DIR"),
        "Serve the images in this folder and its subfolders instead of sample images."
    )
    private static let count = Option(
        "count",
        .integer(1...100_000),
        default: "300",
        "Number of sample images: 0.5 to 12 megapixels, JPEG, PNG and WebP, some rotated by EXIF."
    )
    private static let apps = Option(
        "apps",
        .integer(0...100_000),
        default: "320",
        "Number of apps that a search can find."
    )
    private static let apiLimit = Option(
        "api-limit",
        .integer(0...1_000_000),
        """
        Maximum number of app searches per minute; further searches get status 403 without a body, as from \
        the App Store.
        """
    )
    private static let seed = Option(
        "seed",
        .integer(0...Int.max),
        default: "1",
        "Seed of the sample images, the apps and the faults; the same seed gives the same results."
    )
    private static let faults = Option(
        "faults",
        .faults,
        "Faults to add to images and services, such as latency=50ms..100ms,404=2%,cut=1%."
    )
    private static let cacheControl = Option(
        "cache-control",
        .text("TEXT"),
        "Cache-Control header of images and documents, such as max-age=3600."
    )
    private static let robots = Option("robots", .text("FILE"), "Serve this file as /robots.txt.")
    private static let receiveLimit = Option(
        "receive-limit",
        .byteSize,
        default: "1GiB",
        "Maximum size of received data to keep. Of the oldest data, only the length and digest are then kept."
    )
    private static let writeList = Option(
        "write-list",
        .text("FILE"),
        "When the origin starts to listen, write the URLs of /demo.txt to this file, as a list for fetch."
    )
    private static let prepare = Flag(
        "prepare",
        "Draw all images and icons before listening, instead of on request."
    )

    static let command = Command(
        "origin",
        summary: "run a local test server with sample images and faults on demand",
        discussion: [
            """
            Use it to try Calotype and to test what you build on it. It listens on 127.0.0.1 only. The first \
            line on standard output is 'listening on http://127.0.0.1:PORT'. Faults depend only on the URL \
            and the seed, so you can repeat a run.
            """,
            """
            It has an App Store search with made-up apps, photo albums and robots, in the formats of the \
            services that the other commands use: pass its address as --api. Append /api-faults/FAULT to the \
            address to get only that fault.
            """,
            """
            It receives media at /inbox/, posts at /posts and tus 1.0 uploads at /tus/, and it responds like \
            a Mastodon server to the token 'demo'. /received shows what arrived, how often, and with which \
            digest. Append /publish-faults/FAULT to the address to simulate dropped connections, lost \
            responses, and locked or expired uploads.
            """,
        ],
        groups: [
            .init(
                "Origin",
                [
                    port, images, count, apps, seed, faults, apiLimit, cacheControl, robots, receiveLimit,
                    writeList,
                    prepare,
                ]
            )
        ],
        exclusive: [["images", "count"], ["images", "prepare"]],
        glossary: (
            "Paths, image queries, service faults and receiver faults",
            Origin.words.map { .init($0.word, $0.meaning) }
        ),
        exitCodes: [CalotypeProgram.stopped],
        examples: [
            .init("Run a slow server with failures", "calotype origin --faults latency=100ms,404=2%,stall=1%")
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        do {
            _ = try await withInterruption {
                try await serve(arguments)
            }
            return 0
        } catch is CancellationError {
            // A server runs until it is stopped, so this is its normal end.
            return 0
        } catch let error as CalotypeError {
            Main.complain("calotype origin: \(error.message)\n")
            return UsageError.exitCode
        }
    }

    /// Reads a small file.
    private static func text(of path: String) throws(CalotypeError) -> String {
        do {
            let bytes = try OpenFile(path, O_RDONLY).read(1 << 20, at: 0)
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            throw CalotypeError(.fileNotReadable, "\(path) cannot be read: \(error.reason)", stage: .request)
        }
    }

    private static func serve(_ arguments: ParsedArguments) async throws {
        try await withImageCodec { codec in
            try await serve(codec, arguments)
        }
    }

    private static func serve(_ codec: ImageCodec, _ arguments: ParsedArguments) async throws {
        if let folder = arguments[images] {
            try await withFolderPictures(folder) { try await serve($0, codec, arguments) }
            return
        }
        let collection = SampleCollection(
            count: arguments[count] ?? 300,
            seed: UInt64(arguments[seed] ?? 1)
        )
        try await withSampleRenderer(collection, codec: codec, memory: .mebibytes(1024)) { renderer in
            if arguments[prepare] { try await renderer.renderAll() }
            try await serve(DrawnPictures(renderer), codec, arguments)
        }
    }

    private static func serve(
        _ pictures: some PictureServing,
        _ codec: ImageCodec,
        _ arguments: ParsedArguments
    ) async throws {
        var configuration = OriginConfiguration(pictures: pictures)
        configuration.port = arguments[port] ?? 0
        configuration.faults = arguments[faults] ?? FaultPlan()
        configuration.cacheControl = arguments[cacheControl]
        configuration.codec = codec
        configuration.apps = AppStoreCollection(
            count: arguments[apps] ?? 320,
            seed: UInt64(arguments[seed] ?? 1)
        )
        configuration.apiLimit = arguments[apiLimit]
        configuration.robots = try arguments[robots].map(text)
        if let limit = arguments[receiveLimit] { configuration.receiveLimit = ByteCount(limit.bytes) }
        configuration.faults.seed = UInt64(arguments[seed] ?? 1)
        try await withOrigin(configuration) { origin in
            if arguments[prepare] { try await origin.drawIcons() }
            try TerminalOutput.standardOutput.write("listening on \(origin.baseURL)\n")
            if let path = arguments[writeList] { try AtomicFile.write(Array(origin.demoList.utf8), to: path) }
            // Runs until it is interrupted.
            while true { try await Task.sleep(for: .seconds(3600)) }
        }
    }
}

extension ValueType where Value == FaultPlan {
    /// A list of faults, each with the share of images that it affects.
    static var faults: ValueType {
        ValueType(placeholder: "SPEC") { text throws(UsageError) in
            do throws(CalotypeError) {
                return try FaultPlan(parsing: text)
            } catch {
                throw UsageError(error.message)
            }
        }
    }
}
