import CalotypeCore
import Glibc

/// A regular file with a picture, open for reading.
struct PictureFile: Sendable {
    /// The number of bytes in it.
    let count: Int
    let file: OpenFile

    /// Opens the file at `path`.
    ///
    /// - Throws: `file_not_readable`, also for what is no regular file: a named pipe would block for ever.
    init(path: String) throws(CalotypeError) {
        let status: stat
        do throws(SystemError) {
            file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
            status = try file.status()
        } catch {
            throw Self.notReadable(path, error.reason, error)
        }
        guard status.isKind(S_IFREG) else { throw Self.notReadable(path, "it is no regular file") }
        count = Int(status.st_size)
    }

    /// Takes over a file that is open.
    ///
    /// - Throws: `file_not_readable` for what is no regular file.
    init(_ file: OpenFile) throws(CalotypeError) {
        guard let status = try? file.status(), status.isKind(S_IFREG) else {
            throw Self.notReadable("the source", "it is no regular file")
        }
        self.file = file
        count = Int(status.st_size)
    }

    /// The descriptor, for a library that reads by itself; it is closed with the file.
    var descriptor: Int32 { file.descriptor }

    /// Reads up to `length` bytes at `offset`; fewer only at the file's end.
    func read(at offset: Int, length: Int) throws(HeaderFault) -> [UInt8] {
        do throws(SystemError) {
            return try file.read(length, at: offset)
        } catch {
            throw .unreadable(error.code)
        }
    }

    private static func notReadable(
        _ path: String,
        _ reason: String,
        _ cause: SystemError? = nil
    ) -> CalotypeError {
        CalotypeError(.fileNotReadable, "\(path) cannot be read: \(reason)", stage: .probe, cause: cause)
    }
}
