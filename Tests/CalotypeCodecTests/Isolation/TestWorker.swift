import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import TaskFlow

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
        let own = target(of: "/proc/self/exe")
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
        FolderNames.all(in: "/proc/\(process)/task").flatMap { thread in
            text("/proc/\(process)/task/\(thread)/children").split(separator: " ").compactMap { pid_t($0) }
        }
    }

    /// Whether `process` runs, and is no zombie.
    static func isAlive(_ process: pid_t) -> Bool { !["", "Z"].contains(state(of: process)) }

    /// Whether `process` is stopped, as a worker that hangs is.
    static func isStopped(_ process: pid_t) -> Bool { state(of: process) == "T" }

    /// The letter by which the system tells what `process` does; none if there is no such process.
    private static func state(of process: pid_t) -> String {
        let status = text("/proc/\(process)/stat").split(separator: ")").last ?? ""
        return status.split(separator: " ").first.map(String.init) ?? ""
    }

    /// How long `process` has computed for itself, in the system's ticks.
    static func ticks(of process: pid_t) -> Int {
        let fields = text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 11 ? Int(fields[11]) ?? 0 : 0
    }

    /// How many threads `process` has.
    static func threads(of process: pid_t) -> Int { FolderNames.all(in: "/proc/\(process)/task").count }

    /// What `process` has open, by number.
    static func descriptors(_ process: pid_t) -> [Int: String] {
        let folder = "/proc/\(process)/fd"
        return FolderNames.all(in: folder).reduce(into: [:]) { open, name in
            guard let number = Int(name) else { return }
            open[number] = target(of: "\(folder)/\(name)")
        }
    }

    /// The beginning of a file of the system, without ends of lines unless they are kept.
    static func text(_ path: String, keepsLines: Bool = false) -> String {
        guard let file = try? OpenFile(path, O_RDONLY), let bytes = try? file.read(1 << 16) else { return "" }
        return String(decoding: bytes, as: UTF8.self).filter { keepsLines || $0 != "\n" }
    }

    private static func target(of path: String) -> String {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = max(0, unsafe readlink(path, &target, target.count))
        return String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
    /// How many processes of which workers are forked were started so far.
    var templatesStarted: Int { decoders.isolated?.pool.templatesStarted ?? 0 }

    /// How many workers wait for work.
    var workersReady: Int { decoders.isolated?.pool.state.withLock { $0.roster.idle.count } ?? 0 }

    /// What came of `spec`.
    func picture(
        _ spec: PictureSpec,
        of bytes: [UInt8],
        limits: ImageLimits = ImageLimits()
    ) async throws -> CodedPicture {
        try await pictures(of: .bytes(bytes), limits: limits) { [spec] }[0].get()
    }
}
