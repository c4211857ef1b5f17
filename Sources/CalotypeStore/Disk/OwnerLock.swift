internal import CalotypeCore
internal import Glibc

/// The right to write in a cache folder, which one process has at a time.
///
/// The system gives it back when the process ends, however it ends. The file itself stays and holds nothing.
struct OwnerLock: ~Copyable {
    static let name = "owner.lock"

    private let file: OpenFile

    /// Takes the lock without waiting.
    ///
    /// - Returns: `nil` when another process, or another cache of this one, has it.
    /// - Throws: What the system says when the file cannot be had.
    static func take(in folder: OpenFile) throws(SystemError) -> OwnerLock? {
        let file = try OpenFile(name, in: folder, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return nil
            default: throw SystemError("lock the cache")
            }
        }
        return OwnerLock(file: file)
    }
}
