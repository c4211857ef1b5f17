import CalotypeCore
import CalotypeDigests
import CalotypeFiles
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
        try OpenFile(EnvironmentVariables.temporaryFolder, AtomicFile.unnamedFlag | O_RDWR, mode: 0o600)
    }

    /// Takes room for `bytes` more, and for a file more where that is one's first.
    ///
    /// - Throws: 507 where there is not enough, whatever is let go.
    func reserve(_ bytes: Int, isFirst: Bool) throws(OriginError) {
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

/// Bytes that were received, in an unnamed temporary file; one request at a time writes to it.
final class KeptFile: Sendable {
    private struct State {
        /// `nil` before the first byte and after the bytes were given up.
        var file: OpenFile?
        var length = 0
        var isSettled = false
    }

    private static let pieceBytes = 256 << 10

    /// Tells it from all others; newer ones have higher numbers.
    let number: Int
    /// Weak, as the store holds the files that are complete; gone with the origin.
    private weak let store: FileStore?
    private let executor: ThreadExecutor
    private let state = Guarded(State())

    init(number: Int, store: FileStore) {
        self.number = number
        self.store = store
        executor = store.executor
    }

    /// How many bytes it has, or had before they were given up.
    var length: Int { state.withLock { $0.length } }

    /// Whether the bytes can be read.
    var isReadable: Bool { state.withLock { $0.length == 0 || $0.file != nil } }

    /// Whether it does not change any more.
    var isSettled: Bool { state.withLock { $0.isSettled } }

    /// Adds `bytes` at the end.
    ///
    /// - Throws: 507 where there is no room.
    func append(_ bytes: [UInt8]) async throws {
        let (file, start) = state.withLock { ($0.file, $0.length) }
        guard let store else { throw CancellationError() }
        try store.reserve(bytes.count, isFirst: file == nil)
        do {
            let written = try await executor.run {
                let file = try file ?? FileStore.openUnnamed()
                try Self.write(bytes, at: start, to: file)
                return file
            }
            state.withLock { $0 = State(file: written, length: start + bytes.count) }
            store.changed()
        } catch let error as SystemError {
            store.release(bytes.count, isLast: file == nil)
            throw OriginError.receiving(507, "What came could not be kept: \(error)")
        }
    }

    /// Takes all bytes after the first `length` away.
    func truncate(to length: Int) async throws {
        let (file, end) = state.withLock { ($0.file, $0.length) }
        guard let file, length < end else { return }
        try await executor.run {
            guard ftruncate(file.descriptor, length) == 0 else { throw SystemError("shorten a file") }
        }
        state.withLock { $0.length = length }
        store?.release(end - length, isLast: false)
    }

    /// At most `count` of the bytes from `offset` on; none at the end.
    func read(_ count: Int, at offset: Int) async throws -> [UInt8] {
        let (file, length) = state.withLock { ($0.file, $0.length) }
        guard offset < length else { return [] }
        guard let file else {
            throw OriginError.receiving(410, "Only the length and the digest are still known.")
        }
        return try await executor.run { try file.read(min(count, length - offset), at: offset) }
    }

    /// The digest of all bytes from `start` on.
    func digest(_ function: DigestFunction, from start: Int = 0) async throws -> Digest {
        let (file, length) = state.withLock { ($0.file, $0.length) }
        return try await executor.run {
            var stream = try DigestStream(function)
            var offset = start
            while let file, offset < length {
                let piece = try file.read(min(Self.pieceBytes, length - offset), at: offset)
                guard !piece.isEmpty else { throw SystemError("read all of a file", code: EIO) }
                try stream.update(piece)
                offset += piece.count
            }
            return try stream.finish()
        }
    }

    /// Says that it does not change any more.
    func settle() {
        let hasBytes = state.withLock { state in
            state.isSettled = true
            return state.file != nil
        }
        if hasBytes { store?.settle(self) }
    }

    /// Gives up the bytes.
    func discard() {
        store?.discard(self)
    }

    /// Lets go of the file; how many bytes it had, `nil` where there was none.
    @discardableResult
    func forget() -> Int? {
        state.withLock { state in
            defer { state.file = nil }
            return state.file == nil ? nil : state.length
        }
    }

    private static func write(_ bytes: [UInt8], at start: Int, to file: OpenFile) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                let rest = unsafe $0.baseAddress?.advanced(by: done)
                return unsafe pwrite(file.descriptor, rest, $0.count - done, start + done)
            }
            if count < 0, errno != EINTR { throw SystemError("write") }
            done += max(count, 0)
        }
    }
}
