import CalotypeCore
import Glibc

/// A file that is being received; it is gone with its owner unless it was given its name.
final class IncomingFile: Sendable {
    private let file: OpenFile
    private let temporary: String
    private let path: String

    /// Begins a file that is to be at `path`; blocks.
    init(_ path: String) throws(SystemError) {
        self.path = path
        temporary = path + Self.ending
        file = try OpenFile(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    }

    deinit {
        unsafe unlink(temporary)
    }

    /// What the names of files end in that have not come whole.
    static let ending = ".part"

    /// Adds bytes; blocks.
    func write(_ bytes: [UInt8]) throws(SystemError) {
        try file.write(bytes)
    }

    /// Brings the bytes to the disk, and gives the file its name; blocks.
    func finish() throws(SystemError) {
        guard fdatasync(file.descriptor) == 0 else { throw SystemError("write to the disk") }
        guard unsafe rename(temporary, path) == 0 else { throw SystemError("name the file") }
    }
}
