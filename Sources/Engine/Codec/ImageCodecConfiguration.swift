import CalotypeCPOSIX
public import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform

/// The resources of the machine that a codec may use.
///
/// A quarter of each, rounded down, is reserved for work of normal and higher priority.
public struct ImageCodecConfiguration: Hashable, Sendable {
    /// The number of pictures decoded or encoded at a time; the number of cores by default.
    ///
    /// Each has its own thread.
    public var threads = Platform.processorCount
    /// The memory for concurrent decodes, estimated from the headers; 512 MiB by default.
    ///
    /// A picture that needs more is decoded alone.
    public var memory = ByteCount.mebibytes(512)
    /// The niceness of the threads, from 0 (the default) to 19; it matters only when cores are scarce.
    ///
    /// A program that serves people while it decodes pictures sets it to about 10.
    public var niceness = 0
    /// Whether libvips decodes everything; `false` by default.
    ///
    /// The results of libvips are a reference for those of the fast paths.
    public var usesLibvipsOnly = false
    /// The work to do in worker processes; none by default.
    ///
    /// A program whose main function first calls ``DecoderWorker/serveIfAsked()`` can choose more. Without
    /// workers, SVG, JPEG XL and JPEG 2000 are not read.
    public var isolation = DecoderIsolation.none
    /// The worker processes, up to one for each of ``threads`` at work.
    public var workers = WorkerConfiguration()
    var customDecoders: [CustomDecoder] = []

    /// Creates the default configuration.
    public init() {}
}

/// The work that a codec does in worker processes.
///
/// A decoder that crashes or hangs in a worker takes nothing else with it. A worker that crashes, or is
/// stopped because of a timeout or a cancellation, is replaced; only its own picture fails.
public enum DecoderIsolation: String, CaseIterable, Hashable, Sendable {
    /// All work runs in the program's own process.
    case none
    /// libvips runs in worker processes; the fast path stays in the program's own process.
    case slow
    /// All work on pixels runs in worker processes.
    case all
}

/// The program of worker processes, and their number.
public struct WorkerConfiguration: Hashable, Sendable {
    /// The program that they run; the running one by default.
    public var program = WorkerProgram.itself
    /// The maximum memory of one job, beyond which its allocations fail.
    ///
    /// `nil`, the default, means twice what the codec may use for all concurrent decodes, and at least twice
    /// the job's estimate.
    public var memory: ByteCount?
    /// The number of idle workers that stand ready to replace one that ends during work; 1 by default.
    public var spares = 1
    /// The number of workers that start with the codec and stay when they are idle; 0 by default.
    public var kept = 0
    /// How long the other workers stay without a job; 30 s by default.
    ///
    /// The process that forks them ends when there has been no worker for that time.
    public var idleTime = Duration.seconds(30)
    /// The number of jobs after which a worker is replaced, because libraries may leak; 1,000 by default.
    public var jobs = 1_000
    /// The size at which a worker is replaced after its job; 256 MiB by default.
    public var largestIdle = ByteCount.mebibytes(256)

    /// Creates the default configuration.
    public init() {}
}

/// The program that runs as a worker process.
public struct WorkerProgram: Hashable, Sendable {
    /// The executable file.
    public var path: String
    /// Its arguments, without its own name.
    public var arguments: [String]

    /// Creates a program, which must first call ``DecoderWorker/serveIfAsked()``.
    public init(path: String, arguments: [String] = [DecoderWorker.argument]) {
        self.path = path
        self.arguments = arguments
    }

    /// The running program itself, whose main function first calls ``DecoderWorker/serveIfAsked()``.
    public static let itself = WorkerProgram(path: Platform.program)

    /// The running program as it was started.
    static var again: WorkerProgram {
        WorkerProgram(path: itself.path, arguments: Array(CommandLine.arguments.dropFirst()))
    }

    /// Starts the program with one end of a channel, in the process group `group`, or in a new group for 0.
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
