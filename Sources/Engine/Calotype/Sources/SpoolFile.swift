import CalotypeCore
import CalotypeFiles
import Glibc
import TaskFlow

/// An unnamed temporary file: it is gone when its last owner lets go of it, whatever ends the process.
final class SpoolFile: Sendable {
    private let file: OpenFile
    /// What the file takes of the room that there is for such files; `nil` where nobody counts it.
    private let room: Permit?
    private let written = Guarded(0)

    /// Creates an empty file in `folder`, which holds `room` for as long as it is there.
    ///
    /// - Throws: `storage_failed`.
    init(in folder: String, room: Permit? = nil) throws(CalotypeError) {
        self.room = room
        do {
            file = try OpenFile(folder, AtomicFile.unnamedFlag | O_RDWR, mode: 0o600)
        } catch {
            throw Self.failure("a temporary file in \(folder)", error)
        }
    }

    /// The folder for temporary files: `TMPDIR`, or `/tmp`.
    static var defaultFolder: String { EnvironmentVariables.temporaryFolder }

    /// The name by which this process opens the file, as long as the owner holds it.
    var path: String {
        "/proc/self/fd/\(file.descriptor)"
    }

    /// The bytes that were written so far, and can be read.
    var count: Int { written.withLock { $0 } }

    /// Writes all of `bytes` at the end; blocks while the disk is busy.
    ///
    /// One task writes at a time.
    ///
    /// - Throws: `storage_failed`.
    func append(_ bytes: [UInt8]) throws(CalotypeError) {
        do {
            try file.write(bytes)
            written.withLock { $0 += bytes.count }
        } catch {
            throw Self.failure("a temporary file", error)
        }
    }

    /// Reads `count` bytes from `start` on; blocks while the disk is busy.
    ///
    /// - Throws: `storage_failed`, also where there are fewer.
    func read(_ count: Int, at start: Int = 0) throws(CalotypeError) -> [UInt8] {
        do throws(SystemError) {
            let bytes = try file.read(count, at: start)
            guard bytes.count == count else { throw SystemError("read", code: EIO) }
            return bytes
        } catch {
            throw Self.failure("a temporary file", error)
        }
    }

    /// Takes room for `more` bytes.
    ///
    /// - Throws: `too_many_requests` where there is none.
    func makeRoom(for more: Int) throws(CalotypeError) {
        guard let room else { return }
        let wanted = count + more
        guard
            wanted <= room.weight || room.tryGrow(to: max(wanted, room.weight * 2))
                || room.tryGrow(to: wanted)
        else { throw Self.noRoom }
    }

    /// The error of those who find no room for a file.
    static var noRoom: CalotypeError {
        CalotypeError(
            .tooManyRequests,
            "the sources that are being passed on take all the room that they may; ask again later",
            stage: .body
        )
    }

    /// Gives back the room that the file does not take.
    func fit() { room?.shrink(to: count) }

    private static func failure(_ what: String, _ error: SystemError) -> CalotypeError {
        CalotypeError(.storageFailed, "\(what): \(error)", stage: .body, cause: error)
    }
}
