import CalotypeCPictures
package import CalotypeCore
import CalotypeFiles
import Glibc
import TaskFlow

/// The worker's side of decoding in processes of their own.
public enum DecoderWorker: Sendable {
    /// The argument by which a program is told that it is a worker.
    public static let argument = "decode-worker"

    private static let hasOffered = Guarded(false)

    /// Whether this program's main function can become a worker.
    static var isOffered: Bool { hasOffered.withLock { $0 } }

    /// Becomes a worker if the program was started as one, and then never returns; otherwise returns at once.
    ///
    /// A program calls it first thing in its main function when its ``ImageCodecConfiguration/isolation`` is other than
    /// `none` and ``WorkerConfiguration/program`` is the program itself.
    public static func serveIfAsked() {
        hasOffered.withLock { $0 = true }
        guard CommandLine.arguments.dropFirst().elementsEqual([argument]) else { return }
        serve()
    }

    /// Becomes a worker.
    ///
    /// - Parameter onJob: Called before each job with its first picture's transform; for tests of what a worker may do
    ///   wrong.
    package static func serve(onJob: @escaping (Transform?, Int32) -> Void = { _, _ in }) -> Never {
        guard let channel = WorkerChannel.inherited() else {
            complain("\(argument) is started by programs that decode pictures, and by nobody else\n")
            exit(2)
        }
        MemoryArenas.limit()
        WorkerService(channel, onJob).run()
    }

    private static func complain(_ text: String) {
        try? OpenFile(descriptor: STDERR_FILENO, isOwned: false).write(Array(text.utf8))
    }
}

/// The heaps that the C library keeps for threads.
public enum MemoryArenas: Sendable {
    /// Lets the process use at most two heaps instead of eight for each core, before it starts its threads.
    ///
    /// Decoders allocate much on many threads; with two heaps the process needs a third less memory at the same speed.
    /// A program calls it first thing in its main function; a library leaves the choice to it.
    public static func limit() {
        _ = cvips_limit_arenas(2)
    }
}
