import CalotypeFiles
internal import CalotypePlatform

/// The files of a list.
enum ListFiles {
    /// Returns the paths that `input` stands for, in order: a file, the files of a folder, those that match a
    /// pattern, or `-`.
    ///
    /// - Throws: ``BulkError`` if there are none, or if it is the `output` folder.
    static func paths(_ input: String, besides output: String) throws(BulkError) -> [String] {
        if input == "-" { return [input] }
        var status = stat()
        guard unsafe stat(input, &status) == 0 else {
            let reason = SystemError("open \(input)")
            let found = input.contains { "*?[".contains($0) } ? matches(input) : []
            guard found.isEmpty else { return found }
            throw BulkError("the list cannot be read: \(reason)")
        }
        guard status.isKind(S_IFDIR) else { return [input] }
        var other = stat()
        if unsafe stat(output, &other) == 0, other.st_dev == status.st_dev, other.st_ino == status.st_ino {
            throw BulkError("\(input) is the input and the output; give another folder for the output")
        }
        let names = FolderNames.all(in: input).filter { !$0.hasPrefix(".") }.sorted()
        let files = names.map { "\(input)/\($0)" }.filter { path in
            var status = stat()
            return unsafe stat(path, &status) == 0 && status.isKind(S_IFREG)
        }
        if files.isEmpty { throw BulkError("the folder \(input) has no files") }
        return files
    }

    private static func matches(_ pattern: String) -> [String] {
        var found = unsafe glob_t()
        defer { unsafe globfree(&found) }
        guard unsafe glob(pattern, 0, nil, &found) == 0 else { return [] }
        // glob sorts them.
        return unsafe (0..<Int(found.gl_pathc)).compactMap { index in
            unsafe found.gl_pathv[index].map { unsafe String(cString: $0) }
        }
    }
}
