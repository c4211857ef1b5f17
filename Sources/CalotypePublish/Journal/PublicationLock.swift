internal import CalotypeCore
internal import Glibc

/// The right to work on one publication; the system takes it back from a process that dies.
final class PublicationLock: Sendable {
    // The commands of fcntl that lock for an open file and not for a process, which Glibc's Swift module lacks.
    private static let setLock: Int32 = 37

    private let file: OpenFile

    /// Locks the byte at `number`; `nil` where somebody else has it.
    init?(_ number: Int64, of path: String) throws(SystemError) {
        file = try OpenFile(path, O_RDWR | O_CREAT, mode: 0o600)
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = Int(number)
        range.l_len = 1
        guard unsafe fcntl(file.descriptor, Self.setLock, &range) != 0 else { return }
        guard errno == EAGAIN || errno == EACCES else { throw SystemError("lock \(path)") }
        return nil
    }
}
