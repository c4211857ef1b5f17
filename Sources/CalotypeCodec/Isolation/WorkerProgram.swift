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
}
