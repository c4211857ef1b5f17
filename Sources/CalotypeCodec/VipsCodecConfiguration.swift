public import CalotypeCore
internal import Glibc

/// What a codec may use of the machine.
///
/// A quarter of each, rounded down, is kept back for work of normal and higher priority.
public struct VipsCodecConfiguration: Hashable, Sendable {
    /// How many pictures are decoded or encoded at a time, each on a thread of its own; the number of cores by
    /// default.
    public var threads = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    /// The memory that decodes may take at a time, estimated from the headers; 512 MiB by default.
    ///
    /// A picture that needs more is decoded alone.
    public var memory = ByteCount.mebibytes(512)

    /// Creates the default configuration.
    public init() {}
}
