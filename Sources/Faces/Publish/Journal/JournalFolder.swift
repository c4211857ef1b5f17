import CalotypeCore
package import CalotypeFiles
internal import CalotypePlatform

/// The journal's folder, which only its owner can read.
package enum JournalFolder {
    /// Creates `path` and any missing parent folders.
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

    /// Removes the files in `path`, and then the folder; missing files are not an error.
    static func remove(_ path: String) {
        for name in FolderNames.all(in: path) { unsafe unlink("\(path)/\(name)") }
        unsafe rmdir(path)
    }
}

/// Disk space that is reserved before a post is sent, so that the journal can record the outcome.
///
/// If the disk fills up in the meantime, the space is still available once the reservation is released.
struct JournalRoom: Sendable {
    /// Space for the pages of a transaction, and for the write-ahead log's own frames.
    private static let base = ByteCount.kibibytes(256)
    /// Space for the names and URLs of a medium.
    private static let medium = ByteCount.kibibytes(4)

    /// The folder of the publication's files.
    let folder: String
    /// The number of bytes to reserve.
    let size: ByteCount

    init(in folder: String, media: Int) {
        self.folder = folder
        size = ByteCount(Self.base.bytes + media * Self.medium.bytes)
    }

    private var path: String { "\(folder)/room" }

    /// Reserves the space.
    ///
    /// - Throws: `storage_failed` if the disk does not have enough.
    func take() throws(CalotypeError) {
        do {
            try JournalFolder.create(folder)
            let file = try OpenFile(path, O_WRONLY | O_CREAT, mode: 0o600)
            let code = Platform.reserve(size.bytes, for: file.descriptor)
            guard code == 0 else { throw SystemError("reserve \(size)", code: code) }
        } catch {
            giveBack()
            throw CalotypeError(
                .storageFailed,
                "the post was not sent, because the journal in \(folder) cannot be written: \(error); free some disk space, then resume",
                stage: .store,
                cause: error
            )
        }
    }

    /// Releases the space; it is not an error if none is reserved.
    func giveBack() {
        unsafe unlink(path)
        // Has no effect while the folder contains files of the publication.
        unsafe rmdir(folder)
    }
}

/// A lock for the work on one publication.
///
/// If the process dies, the system releases the lock.
final class PublicationLock: Sendable {
    private let file: OpenFile

    /// Locks the byte at `number`; `nil` if another process has locked it.
    init?(_ number: Int64, of path: String) throws(SystemError) {
        file = try OpenFile(path, O_RDWR | O_CREAT, mode: 0o600)
        guard try file.lock(byteAt: number) else { return nil }
    }
}
