import CalotypeCWorkerShim
import CalotypeCore
import Glibc

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
