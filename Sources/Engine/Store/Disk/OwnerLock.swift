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
        return try file.lock() ? OwnerLock(file: file) : nil
    }

    /// Whether somebody has the lock.
    ///
    /// Looking does not take it, so that nobody who wants it meanwhile is turned away.
    static func isTaken(in folder: OpenFile) throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try OpenFile(name, in: folder, O_RDONLY | O_NOFOLLOW).isLocked()
        } catch {
            guard error.code == ENOENT else { throw error }
            return false
        }
    }
}
