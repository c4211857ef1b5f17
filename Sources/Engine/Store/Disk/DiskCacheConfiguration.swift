public import CalotypeCore

/// Where a disk cache is, and how much it keeps.
public struct DiskCacheConfiguration: Sendable {
    /// The folder; it is created, for this user alone, where there is none.
    public var folder: String
    /// The most bytes that all values and their metadata take on the disk, 1 GiB by default; it holds at any moment.
    ///
    /// The index comes on top, a few hundred bytes for each entry, and its log of at most about 64 MiB.
    public var limit = ByteCount.mebibytes(1024)
    /// The largest value that is kept in the index instead of a file of its own, 32 KiB by default.
    public var inlineLimit = ByteCount.kibibytes(32)
    /// The largest value that is kept at all, 8 MiB by default.
    ///
    /// A value larger than a hundredth of ``limit`` is kept when it is stored for the second time.
    public var entryLimit = ByteCount.mebibytes(8)
    /// The bytes of values that may wait in memory to be written, 64 MiB by default; more are not kept.
    public var stagingLimit = ByteCount.mebibytes(64)
    /// The number of threads that read, two by default.
    public var readers = 2
    /// Whether the cache only looks values up, and takes no part in the decision who may write; no by default.
    public var isReadOnly = false
    /// What is told of trouble: once for each kind, not for each value; nothing by default.
    ///
    /// It is called on a thread of the cache and should return soon.
    public var onNotice: (@Sendable (String) -> Void)?

    /// What the log of the index may take: beyond it nothing is stored until it is brought back into the index.
    package var logLimit = ByteCount.mebibytes(64)

    /// Describes a cache in `folder` with the default limits.
    public init(folder: String) {
        self.folder = folder
    }
}
