import CalotypeCore
import Glibc

/// An unnamed temporary file: it is gone when its last owner lets go of it, whatever ends the process.
final class SpoolFile: Sendable {
    private let file: OpenFile

    /// Creates an empty file in `folder`.
    ///
    /// - Throws: `storage_failed`.
    init(in folder: String) throws(CalotypeError) {
        do {
            file = try OpenFile(folder, AtomicFile.unnamedFlag | O_RDWR, mode: 0o600)
        } catch {
            throw Self.failure("a temporary file in \(folder)", error)
        }
    }

    /// The name by which this process opens the file, as long as the owner holds it.
    var path: String {
        "/proc/self/fd/\(file.descriptor)"
    }

    /// Writes all of `bytes` at the end; blocks while the disk is busy.
    ///
    /// - Throws: `storage_failed`.
    func append(_ bytes: [UInt8]) throws(CalotypeError) {
        do {
            try file.write(bytes)
        } catch {
            throw Self.failure("a temporary file", error)
        }
    }

    /// Reads the first `count` bytes; blocks while the disk is busy.
    ///
    /// - Throws: `storage_failed`, also where there are fewer.
    func read(_ count: Int) throws(CalotypeError) -> [UInt8] {
        do throws(SystemError) {
            let bytes = try file.read(count, at: 0)
            guard bytes.count == count else { throw SystemError("read", code: EIO) }
            return bytes
        } catch {
            throw Self.failure("a temporary file", error)
        }
    }

    private static func failure(_ what: String, _ error: SystemError) -> CalotypeError {
        CalotypeError(.storageFailed, "\(what): \(error)", stage: .body, cause: error)
    }
}
