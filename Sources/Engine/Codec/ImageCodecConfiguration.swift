import CalotypeCPOSIX
public import CalotypeCore
import CalotypeFiles
internal import Glibc

/// What a codec may use of the machine.
///
/// A quarter of each, rounded down, is kept back for work of normal and higher priority.
public struct ImageCodecConfiguration: Hashable, Sendable {
    /// How many pictures are decoded or encoded at a time, each on a thread of its own; the number of cores by
    /// default.
    public var threads = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    /// The memory that decodes may take at a time, estimated from the headers; 512 MiB by default.
    ///
    /// A picture that needs more is decoded alone.
    public var memory = ByteCount.mebibytes(512)
    /// How far the threads step back for others where cores are scarce, 0 (not at all, the default) to 19.
    ///
    /// A program that answers people while pictures are decoded sets it to 10 or so.
    public var niceness = 0
    /// Whether libvips decodes everything, as a reference for what the fast paths give; `false` by default.
    public var usesLibvipsOnly = false
    /// What is decoded and encoded in worker processes; nothing by default.
    ///
    /// A program whose main function calls ``DecoderWorker/serveIfAsked()`` first thing can choose more.
    public var isolation = DecoderIsolation.none
    /// What the worker processes are, up to one for each of ``threads`` at work.
    public var workers = WorkerConfiguration()

    /// Creates the default configuration.
    public init() {}
}

/// What a codec decodes and encodes in worker processes, so that a decoder that crashes or hangs takes nothing with it.
///
/// A worker that crashes, or is stopped because its time is up or nobody wants its picture any more, is replaced; only
/// its own picture fails.
public enum DecoderIsolation: String, CaseIterable, Hashable, Sendable {
    /// Everything is done in the program's own process.
    case none
    /// What libvips decodes or encodes is done in worker processes; the fast path stays in the program's own.
    case slow
    /// Everything that touches pixels is done in worker processes.
    case all
}

/// What worker processes are, and how many are kept.
public struct WorkerConfiguration: Hashable, Sendable {
    /// The program that they run; the running one by default.
    public var program = WorkerProgram.itself
    /// How much memory one job may take, beyond which its allocations fail; `nil`, the default, for twice what the codec
    /// may take for all decodes at a time, and at least twice the job's estimate.
    public var memory: ByteCount?
    /// How many workers stand ready while others work, to take the place of one that ended; 1 by default.
    public var spares = 1
    /// How many are started with the codec and stay when there is nothing to do; 0 by default.
    public var kept = 0
    /// After how much time without a job the others end, and the process that forks them when there has been none for as
    /// long; 30 s by default.
    public var idleTime = Duration.seconds(30)
    /// After how many jobs a worker is replaced, because libraries may leak; 1,000 by default.
    public var jobs = 1_000
    /// At which size a worker is replaced when it has done its job; 256 MiB by default.
    public var largestIdle = ByteCount.mebibytes(256)

    /// Creates the default configuration.
    public init() {}
}

/// The program that runs as a worker process.
public struct WorkerProgram: Hashable, Sendable {
    /// The executable file.
    public var path: String
    /// What it is started with, its own name not counted.
    public var arguments: [String]

    /// Creates a program; it has to call ``DecoderWorker/serveIfAsked()`` first thing.
    public init(path: String, arguments: [String] = [DecoderWorker.argument]) {
        self.path = path
        self.arguments = arguments
    }

    /// The running program itself, whose main function calls ``DecoderWorker/serveIfAsked()`` first thing.
    public static let itself = WorkerProgram(path: "/proc/self/exe")

    /// The running program as it was started.
    static var again: WorkerProgram {
        WorkerProgram(path: itself.path, arguments: Array(CommandLine.arguments.dropFirst()))
    }

    /// Starts it with that end of a channel, in the process group `group`, or one of its own where that is 0.
    func start(_ channel: WorkerChannel, group: pid_t = 0) throws(SystemError) -> pid_t {
        let name = path == Self.itself.path ? CommandLine.arguments.first ?? path : path
        var words = unsafe ([name] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let code = unsafe cworker_spawn(
            &process,
            path,
            &words,
            channel.socket.descriptor,
            channel.memory.descriptor,
            group
        )
        guard code == 0 else { throw SystemError("start \(path)", code: code) }
        return process
    }
}
