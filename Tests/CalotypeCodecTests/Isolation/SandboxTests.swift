import CEscapes
import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import CalotypeTestKit
import Testing

@testable import CalotypeCodec

/// What a worker can do besides decoding: nothing.
@Suite(.timeLimit(.minutes(2)))
struct SandboxTests {
    static let hasFilter = !DecoderWorker.missingProtection.contains { $0.contains("seccomp") }
    private static let attempts = (0..<Int(escapes_count())).map { number in
        unsafe String(cString: escapes_name(Int32(number)))
    }

    private let png: [UInt8]

    init() async throws {
        png = try await withImageCodec { try await $0.encode(noise(60, 60), as: ImageFormat.png) }
    }

    @Test(.enabled(if: hasFilter))
    func `no attempt to leave the sandbox succeeds, and the next picture is made`() async throws {
        try await TestWorker.withCodec { codec in
            for (number, name) in Self.attempts.enumerated() {
                let end = try await Self.end(of: number, png, codec)
                let isRefused = end.contains("SIGSYS") || end.contains("status \(escapes_failed)")
                #expect(isRefused, "\(name): \(end)")
            }
            let made = try await codec.picture(.small, of: png)
            #expect(made.size.width == 16)
        }
    }

    /// How the worker ended that made the attempt.
    private static func end(of attempt: Int, _ png: [UInt8], _ codec: ImageCodec) async throws -> String {
        let spec = PictureSpec.encoded(RenditionSpec(.fit(61_000 + attempt, 1), .jpeg))
        do {
            _ = try await codec.picture(spec, of: png)
            return "the worker made a picture"
        } catch let error as CalotypeError {
            #expect(error.code == .decoderCrashed)
            return error.message
        }
    }

    @Test(.enabled(if: hasFilter), arguments: [[], ["with-a-thread"]])
    func `all threads of a worker are confined, whether it was forked or started`(
        _ program: [String]
    ) async throws {
        try await TestWorker.withCodec(TestWorker.configuration(program: program)) { codec in
            _ = try await codec.picture(.small, of: png)
            // A spare one that was started, and not forked, is confined with its first job.
            let confined = TestWorker.workers().filter { worker in
                let threads = FolderNames.all(in: "/proc/\(worker)/task")
                let states = threads.map {
                    TestWorker.text("/proc/\(worker)/task/\($0)/status", keepsLines: true)
                }
                return !states.isEmpty
                    && states.allSatisfy { $0.contains("Seccomp:\t2") && $0.contains("NoNewPrivs:\t1") }
            }
            #expect(!confined.isEmpty)
        }
    }

    @Test func `a worker without a sandbox decodes`() async throws {
        try await TestWorker.withCodec(TestWorker.configuration(program: ["unconfined"])) { codec in
            let made = try await codec.picture(.small, of: png)
            #expect(made.size.width == 16)
        }
    }

    @Test(.enabled(if: hasFilter), arguments: ImageFormat.encodable)
    func `every output is made of every format in the sandbox`(_ format: ImageFormat) async throws {
        let outputs: [OutputFormat] = [
            .jpeg, .progressiveJPEG(quality: 82), .png, .webp, .losslessWebP, .avif, .heic(quality: 60), .gif,
            .tiff,
        ]
        let bitmap = noise(300, 200)
        let expected = try await withImageCodec { codec in
            try await codec.pictures(of: .bytes(try await codec.encode(bitmap, as: format))) {
                outputs.map { .encoded(RenditionSpec(.fit(90, 90), $0)) }
            }
        }
        try await TestWorker.withCodec(TestWorker.configuration(program: ["naming-calls"])) { codec in
            let source = try await codec.encode(bitmap, as: format)
            let made = try await codec.pictures(of: .bytes(source)) {
                outputs.map { .encoded(RenditionSpec(.fit(90, 90), $0)) }
            }
            for (index, output) in outputs.enumerated() {
                #expect(Self.word(made[index]) == Self.word(expected[index]), "\(output)")
            }
        }
    }

    /// `ok`, or the error's code.
    private static func word(_ outcome: Result<CodedPicture, CalotypeError>) -> String {
        switch outcome {
        case .success: "ok"
        case .failure(let error): "\(error.code): \(error.message)"
        }
    }
}
