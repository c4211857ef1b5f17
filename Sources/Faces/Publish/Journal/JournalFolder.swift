import CalotypeCore
package import CalotypeFiles
internal import Glibc

/// The folder of the journal, which only its owner can look into.
package enum JournalFolder {
    /// Creates `path` and what is missing above it.
    package static func create(_ path: String) throws(SystemError) {
        guard unsafe mkdir(path, 0o700) != 0 else { return }
        switch errno {
        case EEXIST: return
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { break }
            try create(String(path[..<slash]))
            guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        default: break
        }
        throw SystemError("create the folder \(path)")
    }

    /// Removes the files in `path`, and then the folder; what is not there is no error.
    static func remove(_ path: String) {
        for name in FolderNames.all(in: path) { unsafe unlink("\(path)/\(name)") }
        unsafe rmdir(path)
    }
}

/// Room on the journal's disk that is set aside before a post is sent, so that what becomes of it can be written down.
///
/// A disk that fills meanwhile has this room still, once it is given back.
struct JournalRoom: Sendable {
    /// What the pages of a transaction take, and the log's own frames around them.
    private static let base = ByteCount.kibibytes(256)
    /// What the names and URLs of a medium may take.
    private static let medium = ByteCount.kibibytes(4)

    /// The folder of the publication's files.
    let folder: String
    /// How many bytes are set aside.
    let size: ByteCount

    init(in folder: String, media: Int) {
        self.folder = folder
        size = ByteCount(Self.base.bytes + media * Self.medium.bytes)
    }

    private var path: String { "\(folder)/room" }

    /// Sets the room aside.
    ///
    /// - Throws: `storage_failed` where there is not enough.
    func take() throws(CalotypeError) {
        do {
            try JournalFolder.create(folder)
            let file = try OpenFile(path, O_WRONLY | O_CREAT, mode: 0o600)
            let code = posix_fallocate(file.descriptor, 0, size.bytes)
            guard code == 0 else { throw SystemError("set \(size) aside", code: code) }
        } catch {
            giveBack()
            throw CalotypeError(
                .storageFailed,
                "the post was not sent: what becomes of it could not be written down in \(folder): \(error); make room, and resume",
                stage: .store,
                cause: error
            )
        }
    }

    /// Gives the room back; what is not there is no error.
    func giveBack() {
        unsafe unlink(path)
        // Unless there are files that were made for the publication.
        unsafe rmdir(folder)
    }
}

/// The right to work on one publication; the system takes it back from a process that dies.
final class PublicationLock: Sendable {
    private let file: OpenFile

    /// Locks the byte at `number`; `nil` where somebody else has it.
    init?(_ number: Int64, of path: String) throws(SystemError) {
        file = try OpenFile(path, O_RDWR | O_CREAT, mode: 0o600)
        guard try file.lock(byteAt: number) else { return nil }
    }
}
