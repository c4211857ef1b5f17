internal import CEscapes
internal import CalotypeCodec
internal import CalotypeCore
internal import CalotypePlatform

/// A worker for the tests, which goes wrong where it is asked to: each fault has a width of its own.
@main
enum Main {
    static func main() async throws {
        switch CommandLine.arguments.dropFirst().first {
        case "end-at-once": exit(7)
        case "never-ready": pause()
        case "with-a-thread":
            startThread()
            serve()
        case "parent": try await work()
        case "naming-calls": serve { $0.namesRefusedCalls = true }
        case "unconfined": serve { $0.isConfined = false }
        default: serve()
        }
    }

    private static func serve(_ change: (inout WorkerTrial) -> Void = { _ in }) -> Never {
        var trial = WorkerTrial()
        trial.onJob = { transform, socket in fail(transform?.box.width ?? 0, socket) }
        change(&trial)
        DecoderWorker.serve(trial)
    }

    /// Starts a thread that waits without end.
    private static func startThread() {
        var thread = pthread_t()
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
            while true { sleep(1_000) }
        }
        guard unsafe pthread_create(&thread, nil, body, nil) == 0 else { exit(1) }
    }

    private static func fail(_ width: Int, _ socket: Int32) {
        switch width {
        case 60_001: abort()
        case 60_002: while true { raise(SIGSTOP) }
        case 60_003: exit(3)
        case 60_004: send(socket, [3, 1 << 50, 0, 10])
        case 60_005: send(socket, [9, 9, 9])
        case 60_006: send(socket, [3, 1, 0, 1 << 40])
        case 60_007: while true {}
        case 60_008: send(socket, [3, 1, 0, 64])
        case 61_000...61_999: escapes_try(Int32(width - 61_000))
        default: return
        }
    }

    /// Is a program whose worker works without end; says so.
    private static func work() async throws {
        var configuration = ImageCodecConfiguration()
        configuration.isolation = .all
        configuration.workers.program = WorkerProgram(path: "/proc/self/exe", arguments: [])
        try await withImageCodec(configuration) { codec in
            let pixels = [UInt8](repeating: 255, count: 64)
            let bitmap = Bitmap(size: PixelSize(width: 4, height: 4), rgba: pixels)
            let png = try await codec.encode(bitmap, as: .png)
            _ = unsafe write(STDOUT_FILENO, "r", 1)
            let spec = RenditionSpec(.fit(60_007, 1), .jpeg)
            _ = try await codec.renditions(of: .bytes(png), as: [spec])
        }
    }

    /// Sends words that no worker in its right mind would, and waits to be ended.
    private static func send(_ socket: Int32, _ words: [UInt64]) {
        _ = unsafe words.withUnsafeBytes { unsafe write(socket, $0.baseAddress, $0.count) }
        while true { sleep(1_000) }
    }
}
