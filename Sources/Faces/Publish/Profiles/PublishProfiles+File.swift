public import CalotypeCore
internal import Glibc

extension PublishProfiles {
    /// The profiles of a user: `$XDG_CONFIG_HOME/calotype/profiles.json`, else the same below `~/.config`.
    ///
    /// - Parameter environment: The variables that tell the folder.
    /// - Returns: The path; `nil` where no variable tells a folder.
    public static func defaultPath(environment: [String: String]) -> String? {
        // The specification of XDG's folders says to ignore a path that is not absolute.
        let folder = { (name: String) -> String? in environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        return (folder("XDG_CONFIG_HOME") ?? folder("HOME").map { "\($0)/.config" }).map {
            "\($0)/calotype/profiles.json"
        }
    }

    /// Reads the profiles in the file at `path`.
    ///
    /// - Throws: `file_not_readable` for a file that is missing, that others may read or write, or that belongs to another
    ///   user: the message says what to type. `invalid_document` as ``init(json:named:)``.
    public init(file path: String) throws(CalotypeError) {
        let bytes: [UInt8]
        do {
            let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
            try Self.check(file.status(), path)
            // A byte more than is read, by which a longer file is noticed.
            bytes = try file.read((1 << 20) + 1, at: 0)
        } catch {
            throw error as? CalotypeError ?? Self.unreadable(path, error as? SystemError)
        }
        try self.init(json: bytes, named: path)
    }

    private static func check(_ status: stat, _ path: String) throws(CalotypeError) {
        guard status.isKind(S_IFREG) else { throw unreadable(path, "it is no regular file") }
        guard status.st_uid == geteuid() else {
            throw unreadable(path, "it has passwords in it and belongs to another user; make one of your own")
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw unreadable(
                path,
                "it has passwords in it, and its mode \(mode) lets others in; "
                    + "type: chmod 600 \(ShellWord.quoted(path))"
            )
        }
    }

    private static func unreadable(_ path: String, _ error: SystemError?) -> CalotypeError {
        guard let error else { return unreadable(path, "it cannot be read") }
        guard error.code == ENOENT else { return unreadable(path, error.reason.lowercased()) }
        return unreadable(
            path,
            "there is no such file; make it with mode 600, such as "
                + #"{"blog": {"to": "tus+https://example.org/files/", "token": "…"}}"#
        )
    }

    private static func unreadable(_ path: String, _ reason: String) -> CalotypeError {
        CalotypeError(.fileNotReadable, "\(path): \(reason)", stage: .request)
    }
}
