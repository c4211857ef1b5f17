import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import TaskFlow

/// An unnamed temporary file.
///
/// It disappears when its last owner releases it, however the process ends.
final class SpoolFile: Sendable {
    private let file: OpenFile
    /// The file's share of the space for such files; `nil` if it is not counted.
    private let room: Permit?
    private let written = Guarded(0)

    /// Creates an empty file in `folder`.
    ///
    /// The file holds `room` as long as it exists.
    ///
    /// - Throws: `storage_failed`.
    init(in folder: String, room: Permit? = nil) throws(CalotypeError) {
        self.room = room
        do {
            file = try OpenFile.unnamed(in: folder)
        } catch {
            throw Self.failure("a temporary file in \(folder)", error)
        }
    }

    /// The folder for temporary files: `TMPDIR`, or `/tmp`.
    static var defaultFolder: String { EnvironmentVariables.temporaryFolder }

    /// The path by which this process can open the file while its owner holds it.
    var path: String {
        "\(Platform.descriptorFolder)/\(file.descriptor)"
    }

    /// The number of bytes written so far.
    ///
    /// They can be read.
    var count: Int { written.withLock { $0 } }

    /// Appends all of `bytes`.
    ///
    /// Blocks while the disk is busy.
    ///
    /// Only one task may write at a time.
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

    /// Reads `count` bytes from `start` on.
    ///
    /// Blocks while the disk is busy.
    ///
    /// - Throws: `storage_failed`, also if there are fewer bytes.
    func read(_ count: Int, at start: Int = 0) throws(CalotypeError) -> [UInt8] {
        do throws(SystemError) {
            let bytes = try file.read(count, at: start)
            guard bytes.count == count else { throw SystemError("read", code: EIO) }
            return bytes
        } catch {
            throw Self.failure("a temporary file", error)
        }
    }

    /// Reserves space for `more` bytes.
    ///
    /// - Throws: `too_many_requests` if there is none.
    func makeRoom(for more: Int) throws(CalotypeError) {
        guard let room else { return }
        let wanted = count + more
        guard
            wanted <= room.weight || room.tryGrow(to: max(wanted, room.weight * 2))
                || room.tryGrow(to: wanted)
        else { throw Self.noRoom }
    }

    /// The error if there is no space for a file.
    static var noRoom: CalotypeError {
        CalotypeError(
            .tooManyRequests,
            "sources that are being sent unchanged use all the space reserved for them; try again later",
            stage: .body
        )
    }

    /// Releases the space that the file does not use.
    func fit() { room?.shrink(to: count) }

    private static func failure(_ what: String, _ error: SystemError) -> CalotypeError {
        CalotypeError(.storageFailed, "\(what): \(error)", stage: .body, cause: error)
    }
}
