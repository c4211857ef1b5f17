internal import CalotypeCOpenShim
public import CalotypeCore
internal import Glibc

/// A folder whose files may be sources.
///
/// Files are opened from the folder downwards: neither `..` nor a symbolic link, nor anything that is renamed
/// meanwhile, leads out of it.
public final class LocalRoot: Sendable {
    private let folder: OpenFile
    private let usesOneCall: Bool

    /// Opens the folder at `path`, which may be a symbolic link itself.
    ///
    /// - Throws: `file_not_readable`.
    public convenience init(_ path: String) throws(CalotypeError) {
        try self.init(path, usesOneCall: true)
    }

    /// Opens the folder; without `usesOneCall` as on a kernel without openat2.
    init(_ path: String, usesOneCall: Bool) throws(CalotypeError) {
        self.usesOneCall = usesOneCall
        do throws(SystemError) {
            folder = try OpenFile(path, O_RDONLY | O_DIRECTORY)
        } catch {
            throw CalotypeError(
                .fileNotReadable,
                "the folder of local sources cannot be opened: \(error)",
                stage: .request,
                cause: error
            )
        }
    }

    /// Opens the file at `path`; it may block as file systems do.
    ///
    /// - Throws: `file_not_readable`, also for what is no regular file.
    public func open(_ path: LocalPath) throws(CalotypeError) -> LocalFile {
        do throws(SystemError) {
            let file = try usesOneCall ? openAtOnce(path) : openStepwise(path)
            let status = try file.status()
            guard status.isKind(S_IFREG) else {
                throw SystemError("open it, for it is no file", code: EINVAL)
            }
            return LocalFile(path, file, status)
        } catch {
            // What lies outside, and what is not there, look the same.
            throw CalotypeError(
                .fileNotReadable,
                "the local source cannot be read: \(error.reason)",
                stage: .request,
                cause: error
            )
        }
    }

    private func openAtOnce(_ path: LocalPath) throws(SystemError) -> OpenFile {
        let descriptor = unsafe calotype_open_beneath(folder.descriptor, path.text)
        if descriptor >= 0 { return OpenFile(descriptor: descriptor) }
        // Some sandboxes say EPERM to calls that they do not know.
        guard errno == ENOSYS || errno == EPERM else { throw SystemError("open the file") }
        return try openStepwise(path)
    }

    private func openStepwise(_ path: LocalPath) throws(SystemError) -> OpenFile {
        var place = folder
        for name in path.components.dropLast() {
            place = try OpenFile(name, in: place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        }
        return try OpenFile(
            path.components[path.components.count - 1],
            in: place,
            O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        )
    }
}
