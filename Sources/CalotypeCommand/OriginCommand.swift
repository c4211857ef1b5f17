import CalotypeCodec
import CalotypeCore
import CalotypeOrigin
import CommandLineKit
import SamplePictures

/// `calotype origin`: a loopback web server of pictures that misbehaves on demand.
enum OriginCommand {
    private static let port = Option(
        "port",
        .integer(0...65_535),
        default: "0",
        "The port on 127.0.0.1; 0 lets the kernel choose."
    )
    private static let images = Option(
        "images",
        .text("DIR"),
        "Serve the pictures of this folder and its sub-folders instead of drawn ones."
    )
    private static let count = Option(
        "count",
        .integer(1...100_000),
        default: "300",
        "How many pictures are drawn: 0.5 to 12 megapixels, JPEG, PNG and WebP, some turned by EXIF."
    )
    private static let apps = Option(
        "apps",
        .integer(0...100_000),
        default: "320",
        "How many apps a search can find."
    )
    private static let apiLimit = Option(
        "api-limit",
        .integer(0...1_000_000),
        "Answer this many searches for apps a minute; more get status 403 without a body, as from the App Store."
    )
    private static let seed = Option(
        "seed",
        .integer(0...Int.max),
        default: "1",
        "What the drawn pictures, the apps and the faults are made from; the same seed gives the same."
    )
    private static let faults = Option(
        "faults",
        .faults,
        "What goes wrong with pictures and services, such as latency=50ms..100ms,404=2%,cut=1%."
    )
    private static let cacheControl = Option(
        "cache-control",
        .text("TEXT"),
        "What pictures and documents say in Cache-Control, such as max-age=3600."
    )
    private static let receiveLimit = Option(
        "receive-limit",
        .byteSize,
        default: "1GiB",
        "How many bytes are kept of what is sent; the oldest give way and keep only their length and digest."
    )
    private static let writeList = Option(
        "write-list",
        .text("FILE"),
        "Write the URLs of /demo.txt to this file when the origin listens: a list for fetch."
    )
    private static let prepare = Flag(
        "prepare",
        "Draw all pictures and icons before listening, instead of when asked for."
    )

    static let command = Command(
        "origin",
        summary: "run a loopback web server of pictures that misbehaves on demand",
        discussion: [
            """
            For trying Calotype and for testing what you build on it. It listens on 127.0.0.1 only; the first line on \
            standard output is 'listening on http://127.0.0.1:PORT'. Faults are chosen by URL and seed, so that a \
            run can be repeated.
            """,
            """
            It has an App Store's search of made-up apps, photo albums and robots, in the shapes of the services that \
            the catalogue commands ask: give them its address as --api. With /api-faults/FAULT after the address they \
            meet nothing but that fault.
            """,
            """
            It receives: media at /inbox/, posts at /posts, uploads by tus 1.0 at /tus/, and it answers as a Mastodon \
            server does to the token 'demo'. /received tells what came, how often, and with which digest. With \
            /publish-faults/FAULT after the address, connections are cut, answers lost, uploads locked or gone.
            """,
        ],
        groups: [
            .init(
                "Origin",
                [
                    port, images, count, apps, seed, faults, apiLimit, cacheControl, receiveLimit, writeList,
                    prepare,
                ]
            )
        ],
        exclusive: [["images", "count"], ["images", "prepare"]],
        glossary: (
            "Paths, queries of pictures, faults of services and of receivers",
            Origin.words.map { .init($0.word, $0.meaning) }
        ),
        examples: [
            .init("A slow origin with failures", "calotype origin --faults latency=100ms,404=2%,stall=1%")
        ]
    )

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        do {
            _ = try await withInterruption {
                try await serve(arguments)
            }
            return 0
        } catch is CancellationError {
            return 0
        } catch let error as CalotypeError {
            Main.complain("calotype origin: \(error.message)\n")
            return UsageError.exitCode
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
        configuration.apps = AppCollection(count: arguments[apps] ?? 320, seed: UInt64(arguments[seed] ?? 1))
        configuration.apiLimit = arguments[apiLimit]
        if let limit = arguments[receiveLimit] { configuration.receiveLimit = ByteCount(limit.bytes) }
        configuration.faults.seed = UInt64(arguments[seed] ?? 1)
        try await withOrigin(configuration) { origin in
            if arguments[prepare] { try await origin.drawIcons() }
            try TerminalOutput.standardOutput.write("listening on \(origin.baseURL)\n")
            if let path = arguments[writeList] { try AtomicFile.write(Array(origin.demoList.utf8), to: path) }
            // Until the interruption.
            while true { try await Task.sleep(for: .seconds(3600)) }
        }
    }
}

extension ValueType where Value == FaultPlan {
    /// Shares of pictures that go wrong, and how.
    static var faults: ValueType {
        ValueType(placeholder: "SPEC") { text throws(ValueProblem) in
            do throws(CalotypeError) {
                return try FaultPlan(parsing: text)
            } catch {
                throw ValueProblem(error.message)
            }
        }
    }
}
