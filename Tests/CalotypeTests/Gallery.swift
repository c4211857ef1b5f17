import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeOrigin
import CalotypeSamplePictures
import CalotypeTestKit
import Testing

/// Small drawn pictures and an origin that serves them.
enum Gallery {
    /// JPEG, 320 by 240 pixels.
    static let photo = "photo.jpg"
    /// PNG, 200 by 300 pixels.
    static let drawing = "drawing.png"
    /// JPEG, 1,200 by 900 pixels of noise: large enough for the spool.
    static let large = "large.jpg"

    /// Encoded once for all tests.
    private static let files = Task {
        try await withImageCodec { codec in
            [
                photo: try await codec.encode(picture(320, 240, seed: 1), as: .jpeg),
                drawing: try await codec.encode(picture(200, 300, seed: 2), as: .png),
                large: try await codec.encode(noise(1200, 900), as: .jpeg(quality: 95)),
            ]
        }
    }

    static func bytes(_ name: String) async throws -> [UInt8] {
        guard let bytes = try await files.value[name] else { preconditionFailure("no picture \(name)") }
        return bytes
    }

    /// Runs `body` with an origin of the pictures and a pipeline; both have ended when it returns, and left nothing: no
    /// task, permit, registry entry, descriptor, unnamed file or thread.
    static func open<Output>(
        _ configure: (inout PipelineConfiguration) -> Void = { _ in },
        _ body: (Origin, ImagePipeline) async throws -> Output
    ) async throws -> Output {
        var configuration = PipelineConfiguration()
        configuration.retries = 0
        configure(&configuration)
        let pictures = PicturesInMemory(try await files.value)
        var options = QuietCheck.Options()
        options.threads = ["codec", "curl", "spool"]
        return try await withQuietCheck(options) { quiet in
            try await withOrigin(OriginConfiguration(pictures: pictures)) { origin in
                try await withImagePipeline(configuration) { pipeline in
                    quiet.watch(pipeline)
                    return try await body(origin, pipeline)
                }
            }
        }
    }

    private static func picture(_ width: Int, _ height: Int, seed: UInt64) -> Bitmap {
        SamplePicture(seed: seed, size: PixelSize(width: width, height: height)).draw()
    }

    private static func noise(_ width: Int, _ height: Int) -> Bitmap {
        var random = SeededRandom(seed: 3)
        let words = (0..<width * height).map { _ in
            (UInt32(truncatingIfNeeded: random.next()) & 0xffff | 0xff80_0000).littleEndian
        }
        let rgba = unsafe words.withUnsafeBytes { unsafe Array($0) }
        return Bitmap(size: PixelSize(width: width, height: height), rgba: rgba)
    }

    /// Expects that the pipeline holds nothing.
    ///
    /// What has just ended may be counted for a moment longer than its result takes to arrive.
    static func expectIdle(_ pipeline: ImagePipeline) async {
        for _ in 0..<10_000 where !pipeline.snapshot.isQuiet { await Task.yield() }
        #expect(pipeline.snapshot == PipelineSnapshot())
    }
}
