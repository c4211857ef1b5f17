package import CalotypeFiles
internal import CalotypeHTTPMessages
internal import CalotypePlatform

/// The state files of all output folders, for removing those whose folders were deleted.
package struct FetchStates {
    /// The state of an output folder that no longer exists.
    package struct Orphan: Sendable {
        /// The deleted folder.
        package let folder: String
        /// The size of the state.
        package let size: ByteCount
        let fileName: String
    }

    /// The states of deleted folders, sorted by folder.
    package let orphans: [Orphan]
    /// The number of files that do not name their folder, because only earlier versions have used them.
    package let unnamedCount: Int
    private let path: String

    /// Looks through the state files below `home`, `$XDG_STATE_HOME` by default.
    ///
    /// It reads all of them, and blocks.
    package init(home: String? = nil) {
        path = (home ?? StateFile.defaultHome ?? "") + "/calotype"
        var (orphans, unnamedCount) = ([Orphan](), 0)
        for name in FolderNames.all(in: path) where name.hasPrefix("fetch-") && name.hasSuffix(".state") {
            // A file that cannot be read stays where it is.
            guard let file = try? OpenFile("\(path)/\(name)", O_RDONLY), let status = try? file.status()
            else {
                continue
            }
            guard let folder = try? Self.folder(in: file), StateFile.fileName(folder: folder) == name else {
                unnamedCount += 1
                continue
            }
            guard Self.isDeleted(folder) else { continue }
            orphans.append(Orphan(folder: folder, size: ByteCount(Int(status.st_size)), fileName: name))
        }
        self.orphans = orphans.sorted { $0.folder < $1.folder }
        self.unnamedCount = unnamedCount
    }

    /// Removes the state of a folder; has no effect if the folder is there again.
    package func remove(_ orphan: Orphan) throws(SystemError) {
        guard Self.isDeleted(orphan.folder) else { return }
        for suffix in [".new", ""] {
            let file = "\(path)/\(orphan.fileName)\(suffix)"
            guard unsafe unlink(file) == 0 || errno == ENOENT else { throw SystemError("remove \(file)") }
        }
    }

    private static func isDeleted(_ folder: String) -> Bool {
        var status = stat()
        // A folder that cannot be examined may be there.
        return unsafe stat(folder, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// Returns the folder that the file names; an earlier version's records may come before that line.
    private static func folder(in file: OpenFile) throws(SystemError) -> String? {
        var splitter = LineSplitter()
        while true {
            let chunk = try file.read(64 << 10)
            for line in splitter.split(chunk) {
                if let folder = FolderLine.folder(String(decoding: line.bytes, as: UTF8.self)) {
                    return folder
                }
            }
            if chunk.isEmpty { return nil }
        }
    }
}

/// The line of a state file that names the output folder; earlier versions ignore it.
enum FolderLine {
    private static let word = "folder "

    /// Returns the line for `folder`, with its end.
    static func text(_ folder: String) -> String {
        word + PercentEscapes.encodedPath(folder) + "\n"
    }

    /// Returns the folder that `line` names; `nil` for any other line.
    static func folder(_ line: String) -> String? {
        guard line.hasPrefix(word + "/") else { return nil }
        return PercentEscapes.decodedText(line.dropFirst(word.count))
    }
}
