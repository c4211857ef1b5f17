import CalotypeCore
import Glibc
import TaskFlow

/// How much room there is for what is received, and on which threads it is written.
///
/// Where room is wanting, the oldest files that are complete lose their bytes.
final class FileStore: Sendable {
    private struct State {
        var bytes = 0
        var files = 0
        /// Those that may lose their bytes, by their numbers, which grow with time.
        var settled: [Int: KeptFile] = [:]
        var lastNumber = 0
    }

    /// The most files that are open at a time.
    static let largestFileCount = 256

    /// The most bytes in all files.
    let limit: ByteCount
    /// Where files are written and read.
    let executor: ThreadExecutor
    /// Called when a file has grown.
    let changed: @Sendable () -> Void
    private let state = Guarded(State())

    init(limit: ByteCount, executor: ThreadExecutor, changed: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.executor = executor
        self.changed = changed
    }

    /// The bytes that are kept now.
    var keptBytes: ByteCount { ByteCount(state.withLock { $0.bytes }) }

    /// A file without bytes.
    func makeFile() -> KeptFile {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return KeptFile(number: number, store: self)
    }

    /// Opens a file that has no name, and so is gone with its descriptor.
    static func openUnnamed() throws(SystemError) -> OpenFile {
        let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        return try OpenFile(folder, AtomicFile.unnamedFlag | O_RDWR, mode: 0o600)
    }

    /// Takes room for `bytes` more, and for a file more where that is one's first.
    ///
    /// - Throws: 507 where there is not enough, whatever is let go.
    func reserve(_ bytes: Int, isFirst: Bool) throws(Refusal) {
        let (dropped, isRoom) = state.withLock { state in
            var dropped: [KeptFile] = []
            while state.bytes + bytes > limit.bytes || isFirst && state.files >= Self.largestFileCount {
                guard let oldest = state.settled.keys.min(),
                    let file = state.settled.removeValue(forKey: oldest)
                else { return (dropped, false) }
                dropped.append(file)
                state.bytes -= file.length
                state.files -= 1
            }
            state.bytes += bytes
            if isFirst { state.files += 1 }
            return (dropped, true)
        }
        for file in dropped { file.forget() }
        guard isRoom else { throw .receiving(507, "There is no room for more: \(limit) are kept in all.") }
    }

    /// Gives back the room of `bytes`, and of a file where there were some.
    func release(_ bytes: Int, isLast: Bool) {
        state.withLock { state in
            state.bytes -= bytes
            if isLast { state.files -= 1 }
        }
    }

    /// Lets `file`, which does not change any more, lose its bytes where room is wanting.
    func settle(_ file: KeptFile) {
        state.withLock { $0.settled[file.number] = file }
    }

    /// Gives back the room of `file`, which is not wanted any more; a second time changes nothing.
    func discard(_ file: KeptFile) {
        let wasSettled = state.withLock { $0.settled.removeValue(forKey: file.number) != nil }
        // The room of one that was let go was given back then.
        if file.isSettled, !wasSettled { return }
        if let bytes = file.forget() { release(bytes, isLast: true) }
    }
}
