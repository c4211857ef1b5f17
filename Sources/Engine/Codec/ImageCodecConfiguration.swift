public import CalotypeCore
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
