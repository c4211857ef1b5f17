/// Files that a run has written or found, and that were gone or changed at its end.
struct FileLoss: CustomStringConvertible {
    private(set) var count = 0
    private let folder: String
    private var first: String?

    /// Looks at the files of `records`; `nil` where all are there.
    init?(of records: some Sequence<StateRecord>, in folder: OutputFolder) {
        self.folder = folder.path
        let isInPlace = folder.isInPlace
        for record in records {
            for file in record.made {
                let name = file.fileName(of: record.index)
                guard !isInPlace || folder.size(of: name) != file.bytes else { continue }
                count += 1
                first = min(first ?? name, name)
            }
        }
        if count == 0 { return nil }
    }

    var description: String {
        let files = count == 1 ? "1 file is" : "\(count) files are"
        return
            "\(files) no longer as written in \(folder), such as \(first ?? ""); another run makes them again"
    }
}
