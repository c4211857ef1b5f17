import CalotypeCore
import Glibc

/// A regular file open for reading.
final class OpenFile: Sendable {
    let descriptor: Int32
    let count: Int

    /// Opens the file at `path`.
    ///
    /// - Throws: `file_not_readable`, also for what is no regular file: a named pipe would block for ever.
    init(path: String) throws(CalotypeError) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.notReadable(path, unsafe String(cString: strerror(errno))) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Self.notReadable(path, "it is no regular file")
        }
        count = Int(status.st_size)
    }

    deinit {
        close(descriptor)
    }

    /// Reads up to `length` bytes at `offset`; fewer only at the file's end.
    func read(at offset: Int, length: Int) throws(HeaderFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: length)
        var filled = 0
        while filled < length {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress?.advanced(by: filled), length - filled, offset + filled)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .unreadable(errno) }
            if got == 0 { break }
            filled += got
        }
        bytes.removeLast(length - filled)
        return bytes
    }

    private static func notReadable(_ path: String, _ reason: String) -> CalotypeError {
        CalotypeError(.fileNotReadable, "\(path) cannot be read: \(reason)", stage: .probe)
    }
}
