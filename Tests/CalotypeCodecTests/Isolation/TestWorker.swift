import CalotypeCore
import Glibc

@testable import CalotypeCodec

/// The worker of the tests, which goes wrong where it is asked to; it lies beside the test program.
enum TestWorker {
    /// What it does for a picture of that width in the place of decoding it.
    enum Fault: Int {
        case aborts = 60_001
        case hangs = 60_002
        case exits = 60_003
        case answersFarAway = 60_004
        case answersGarbage = 60_005
        case answersTooLong = 60_006
        case computesForEver = 60_007
        case answersWhatIsThere = 60_008
    }

    static var path: String {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = max(0, unsafe readlink("/proc/self/exe", &target, target.count))
        let own = String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/DecodeWorker"
    }

    static func configuration(
        _ isolation: DecoderIsolation = .all,
        threads: Int = 2,
        program arguments: [String] = []
    ) -> ImageCodecConfiguration {
        var configuration = ImageCodecConfiguration()
        configuration.threads = threads
        configuration.isolation = isolation
        configuration.workers.program = WorkerProgram(path: path, arguments: arguments)
        return configuration
    }

    /// Runs `body` with a codec over such workers.
    static func withCodec(
        _ configuration: ImageCodecConfiguration = configuration(),
        _ body: (ImageCodec) async throws -> Void
    ) async throws {
        try await withImageCodec(configuration) { try await body($0) }
    }

    /// All processes that `process` has started, and those that they have.
    static func processes(of process: pid_t = getpid()) -> [pid_t] {
        children(of: process).flatMap { [$0] + processes(of: $0) }
    }

    /// The workers of `process`: what its templates have forked.
    static func workers(of process: pid_t = getpid()) -> [pid_t] {
        children(of: process).flatMap { children(of: $0) }
    }

    /// The templates of `process`.
    static func templates(of process: pid_t = getpid()) -> [pid_t] { children(of: process) }

    /// The children of `process`, zombies among them.
    private static func children(of process: pid_t) -> [pid_t] {
        guard let folder = unsafe opendir("/proc/\(process)/task") else { return [] }
        defer { unsafe closedir(folder) }
        var children: [pid_t] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            children += text("/proc/\(process)/task/\(name)/children").split(separator: " ").compactMap {
                pid_t($0)
            }
        }
        return children
    }

    /// Whether `process` runs, and is no zombie.
    static func isAlive(_ process: pid_t) -> Bool {
        let status = text("/proc/\(process)/stat").split(separator: ")").last ?? ""
        return !status.isEmpty && status.split(separator: " ").first != "Z"
    }

    private static func text(_ path: String) -> String {
        guard let file = try? OpenFile(path, O_RDONLY), let bytes = try? file.read(4096) else { return "" }
        return String(decoding: bytes, as: UTF8.self).filter { $0 != "\n" }
    }
}

extension PictureSpec {
    /// A picture for which the test worker goes wrong.
    static func failing(_ fault: TestWorker.Fault) -> PictureSpec {
        .encoded(RenditionSpec(.fit(fault.rawValue, 1), .jpeg))
    }

    /// A picture like any other.
    static let small = PictureSpec.encoded(RenditionSpec(.fit(16, 16), .jpeg))
}

extension ImageCodec {
    /// What came of `spec`.
    func picture(
        _ spec: PictureSpec,
        of bytes: [UInt8],
        limits: ImageLimits = ImageLimits()
    ) async throws -> CodedPicture {
        try await pictures(of: .bytes(bytes), limits: limits) { [spec] }[0].get()
    }
}
