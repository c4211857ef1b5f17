import CalotypeCPOSIX
import CalotypeCPictures
package import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import TaskFlow

/// The worker's side of decoding in separate processes.
public enum DecoderWorker: Sendable {
    /// The argument that makes a program a worker.
    public static let argument = "decode-worker"

    private static let hasOffered = Guarded(false)

    /// Whether this program's main function can become a worker.
    static var isOffered: Bool { hasOffered.withLock { $0 } }

    /// Becomes a worker and never returns if the program was started as one; otherwise returns immediately.
    ///
    /// A program calls it first in its main function if its ``ImageCodecConfiguration/isolation`` is not
    /// `none` and ``WorkerConfiguration/program`` is the program itself.
    public static func serveIfAsked() {
        hasOffered.withLock { $0 = true }
        guard CommandLine.arguments.dropFirst().elementsEqual([argument]) else { return }
        serve()
    }

    /// Becomes a worker.
    ///
    /// - Parameter trial: Changes for tests of misbehaving workers.
    package static func serve(_ trial: WorkerTrial = WorkerTrial()) -> Never {
        guard let channel = WorkerChannel.inherited() else {
            complain("\(argument) is started by programs that decode images; do not run it yourself\n")
            exit(2)
        }
        MemoryArenas.limit()
        WorkerService(channel, trial).run()
    }

    /// The parts of the workers' sandbox that this system does not offer, in words.
    ///
    /// A worker that lacks a part still decodes.
    public static var missingProtection: [String] {
        let offered = Int(csandbox_offered())
        return [
            (csandbox_filter, "system calls are not filtered (seccomp)"),
            (csandbox_landlock, "file access is not limited a second time (Landlock)"),
        ].compactMap { offered & Int($0.0) == 0 ? $0.1 : nil }
    }

    private static func complain(_ text: String) {
        try? OpenFile(descriptor: STDERR_FILENO, isOwned: false).write(Array(text.utf8))
    }
}

/// What a worker does differently in tests.
package struct WorkerTrial {
    /// Called before each job with its first picture's transform and the worker's socket.
    package var onJob: (Transform?, Int32) -> Void = { _, _ in }
    /// Whether a worker names a call that its sandbox refuses, on standard error, before the call ends it.
    package var namesRefusedCalls = false
    /// Whether a worker has a sandbox.
    package var isConfined = true

    package init() {}
}

/// The heaps that the C library uses for threads.
public enum MemoryArenas: Sendable {
    /// Limits the process to two heaps instead of eight per core, before it starts its threads.
    ///
    /// Decoders allocate much on many threads. With two heaps the process needs a third less memory at the
    /// same speed. A program calls this first in its main function; a library leaves the choice to the
    /// program.
    public static func limit() {
        _ = cvips_limit_arenas(2)
    }
}
