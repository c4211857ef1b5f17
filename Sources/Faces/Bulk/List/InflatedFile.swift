internal import CalotypeArchives
import CalotypeFiles
internal import TaskFlow

/// The content of a compressed file, read on a separate thread.
final class InflatedFile: ByteReading {
    private let file: OpenFile
    private let executor: ThreadExecutor
    /// Only its one consumer takes the lock, so nobody waits for it.
    private let inflation: Guarded<Inflation?>

    /// Begins to read `beginning` followed by the rest of `file`.
    init(_ beginning: [UInt8], of file: OpenFile, executor: ThreadExecutor) throws(ArchiveError) {
        self.file = file
        self.executor = executor
        inflation = Guarded(try Inflation(beginning, descriptor: file.descriptor))
    }

    func read() async throws -> [UInt8] {
        try await executor.run {
            try self.inflation.withLock { inflation in try inflation?.read(64 << 10) ?? [] }
        }
    }
}
