import CalotypeCore
import CalotypeDigests
import Glibc
import TaskFlow

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
            throw Refusal.receiving(507, "What came could not be kept: \(error)")
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
            throw Refusal.receiving(410, "Only the length and the digest are still known.")
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
