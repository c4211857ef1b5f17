import CalotypeCore
import Glibc

/// An unnamed temporary file: it is gone when its last owner lets go of it, whatever ends the process.
final class SpoolFile: Sendable {
    /// `O_TMPFILE`, a macro of two flags that Swift does not import.
    private static let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY

    private let descriptor: Int32

    /// Creates an empty file in `folder`.
    ///
    /// - Throws: `storage_failed`.
    init(in folder: String) throws(CalotypeError) {
        descriptor = unsafe open(folder, Self.unnamed | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Self.failure("cannot make a temporary file in \(folder)")
        }
    }

    deinit {
        close(descriptor)
    }

    /// The name by which this process opens the file, as long as the owner holds it.
    var path: String {
        "/proc/self/fd/\(descriptor)"
    }

    /// Writes all of `bytes` at the end; blocks while the disk is busy.
    ///
    /// - Throws: `storage_failed`.
    func append(_ bytes: [UInt8]) throws(CalotypeError) {
        var offset = 0
        while offset < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
            }
            if written > 0 {
                offset += written
            } else if errno != EINTR {
                throw Self.failure("cannot write a temporary file")
            }
        }
    }

    private static func failure(_ what: String) -> CalotypeError {
        CalotypeError(.storageFailed, "\(what): \(unsafe String(cString: strerror(errno)))", stage: .body)
    }
}
