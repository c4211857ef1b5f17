import CalotypeCore
import CalotypeDigests
import CalotypeFiles
import CalotypePlatform
import TaskFlow

/// The storage for received files, with its limits and its thread.
///
/// When space runs short, the oldest complete files lose their bytes.
final class FileStore: Sendable {
    private struct State {
        var bytes = 0
        var files = 0
        /// The files that may lose their bytes, by number.
        ///
        /// Numbers grow with time.
        var settled: [Int: ReceivedFile] = [:]
        var lastNumber = 0
    }

    /// The maximum number of open files.
    static let largestFileCount = 256

    /// The maximum number of bytes in all files.
    let limit: ByteCount
    /// The executor that writes and reads the files.
    let executor: ThreadExecutor
    /// Called when a file has grown.
    let changed: @Sendable () -> Void
    private let state = Guarded(State())

    init(limit: ByteCount, executor: ThreadExecutor, changed: @escaping @Sendable () -> Void) {
        self.limit = limit
        self.executor = executor
        self.changed = changed
    }

    /// The bytes in storage now.
    var keptBytes: ByteCount { ByteCount(state.withLock { $0.bytes }) }

    /// Creates an empty file.
    func makeFile() -> ReceivedFile {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return ReceivedFile(number: number, store: self)
    }

    /// Opens a file without a name, which disappears when its descriptor closes.
    static func openUnnamed() throws(SystemError) -> OpenFile {
        try OpenFile.unnamed(in: EnvironmentVariables.temporaryFolder)
    }

    /// Reserves space for `bytes` more, and for another file if these are its first bytes.
    ///
    /// - Throws: 507 if there is not enough, even after other files have lost their bytes.
    func reserve(_ bytes: Int, isFirst: Bool) throws(OriginError) {
        let (dropped, isRoom) = state.withLock { state in
            var dropped: [ReceivedFile] = []
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
        guard isRoom else {
            throw .receiving(507, "There is no space for more: the limit is \(limit) in total.")
        }
    }

    /// Releases the space of `bytes`, and of a file if these are its last bytes.
    func release(_ bytes: Int, isLast: Bool) {
        state.withLock { state in
            state.bytes -= bytes
            if isLast { state.files -= 1 }
        }
    }

    /// Marks `file` as final.
    ///
    /// It may lose its bytes from now on.
    func settle(_ file: ReceivedFile) {
        state.withLock { $0.settled[file.number] = file }
    }

    /// Releases the space of `file`, which is no longer needed.
    ///
    /// A second call has no effect.
    func discard(_ file: ReceivedFile) {
        let wasSettled = state.withLock { $0.settled.removeValue(forKey: file.number) != nil }
        // A file that lost its bytes has released its space already.
        if file.isSettled, !wasSettled { return }
        if let bytes = file.forget() { release(bytes, isLast: true) }
    }
}

/// Received bytes in an unnamed temporary file.
///
/// One request at a time writes to it.
final class ReceivedFile: Sendable {
    private struct State {
        /// `nil` before the first byte and after the bytes were discarded.
        var file: OpenFile?
        var length = 0
        var isSettled = false
    }

    private static let pieceBytes = 256 << 10

    /// Identifies the file.
    ///
    /// Newer files have higher numbers.
    let number: Int
    /// Weak, because the store holds the complete files.
    ///
    /// It ends with the origin.
    private weak let store: FileStore?
    private let executor: ThreadExecutor
    private let state = Guarded(State())

    init(number: Int, store: FileStore) {
        self.number = number
        self.store = store
        executor = store.executor
    }

    /// Its size in bytes, also after they were discarded.
    var length: Int { state.withLock { $0.length } }

    /// Whether the bytes can be read.
    var isReadable: Bool { state.withLock { $0.length == 0 || $0.file != nil } }

    /// Whether it is final.
    var isSettled: Bool { state.withLock { $0.isSettled } }

    /// Appends `bytes`.
    ///
    /// - Throws: 507 if there is no space.
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
            throw OriginError.receiving(507, "The data could not be stored: \(error)")
        }
    }

    /// Removes all bytes after the first `length`.
    func truncate(to length: Int) async throws {
        let (file, end) = state.withLock { ($0.file, $0.length) }
        guard let file, length < end else { return }
        try await executor.run {
            guard ftruncate(file.descriptor, length) == 0 else { throw SystemError("shorten a file") }
        }
        state.withLock { $0.length = length }
        store?.release(end - length, isLast: false)
    }

    /// Reads at most `count` bytes from `offset` on.
    ///
    /// Returns none at the end.
    func read(_ count: Int, at offset: Int) async throws -> [UInt8] {
        let (file, length) = state.withLock { ($0.file, $0.length) }
        guard offset < length else { return [] }
        guard let file else {
            throw OriginError.receiving(410, "Only the length and the digest were kept.")
        }
        return try await executor.run { try file.read(min(count, length - offset), at: offset) }
    }

    /// Computes the digest of all bytes from `start` on.
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

    /// Marks the file as final.
    func settle() {
        let hasBytes = state.withLock { state in
            state.isSettled = true
            return state.file != nil
        }
        if hasBytes { store?.settle(self) }
    }

    /// Discards the bytes.
    func discard() {
        store?.discard(self)
    }

    /// Closes the file.
    ///
    /// Returns how many bytes it had, or `nil` if it was not open.
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
