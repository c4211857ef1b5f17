public import CalotypeCore

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
