internal import CalotypeCore
internal import TaskFlow

/// What the writer is asked for besides writing; it is done after all that was staged before.
enum WriterCommand: Sendable {
    /// Nothing more than that.
    case flush(Latch<Void>)
    case trim(ByteCount, Latch<Void>)
    /// Compare all files with the index, now.
    case scan(Latch<ScanCounts>)

    /// Answers without having done anything, for a cache that cannot.
    func decline() {
        switch self {
        case .flush(let done), .trim(_, let done): done.set(())
        case .scan(let done): done.set(ScanCounts())
        }
    }
}

/// What a comparison of the files with the index found.
struct ScanCounts: Hashable, Sendable {
    /// The files that belong to an entry.
    var known = 0
    /// The files whose entry was lost, and that have one again.
    var recovered = 0
    /// The files that belonged to nothing.
    var removed = 0
}
