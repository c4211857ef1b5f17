internal import Glibc

/// Locks of single bytes, which need not be there. The system gives them back when the file is closed, however that happens.
extension OpenFile {
    // The commands of fcntl that lock for an open file and not for a process, which Glibc's Swift module lacks.
    private static let whoHasLock: Int32 = 36
    private static let setLock: Int32 = 37

    /// Locks the byte at `offset` without waiting.
    ///
    /// The file must be open for writing.
    ///
    /// - Returns: `false` when another open file, of this process or of another one, has it.
    package func lock(byteAt offset: Int64 = 0) throws(SystemError) -> Bool {
        var range = Self.range(offset)
        while unsafe fcntl(descriptor, Self.setLock, &range) != 0 {
            switch errno {
            case EINTR: continue
            case EAGAIN, EACCES: return false
            default: throw SystemError("lock the file")
            }
        }
        return true
    }

    /// Whether another open file has locked the byte at `offset`.
    ///
    /// Asking keeps nobody from locking it.
    package func isLocked(byteAt offset: Int64 = 0) throws(SystemError) -> Bool {
        var range = Self.range(offset)
        guard unsafe fcntl(descriptor, Self.whoHasLock, &range) == 0 else {
            throw SystemError("look at the lock")
        }
        return range.l_type != Int16(F_UNLCK)
    }

    private static func range(_ offset: Int64) -> flock {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = Int(offset)
        range.l_len = 1
        return range
    }
}
