import CalotypeCore
internal import Glibc

/// The right to work on one publication; the system takes it back from a process that dies.
final class PublicationLock: Sendable {
    private let file: OpenFile

    /// Locks the byte at `number`; `nil` where somebody else has it.
    init?(_ number: Int64, of path: String) throws(SystemError) {
        file = try OpenFile(path, O_RDWR | O_CREAT, mode: 0o600)
        guard try file.lock(byteAt: number) else { return nil }
    }
}
