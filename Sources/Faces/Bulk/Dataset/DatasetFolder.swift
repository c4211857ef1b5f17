internal import CalotypeCore
import CalotypeFiles
import CalotypePlatform

/// The output folder of a dataset.
///
/// Readers find complete shards only. All that is unfinished lies in the folder `.calotype`: a journal for
/// each shard in progress, the files of a shard that is being completed, and for each complete shard a claim
/// that says which attempt made it. Its functions block; call them on a file thread.
final class DatasetFolder: Sendable {
    static let workName = ".calotype"
    private static let settingsName = "settings"

    let path: String
    let root: OpenFile
    /// The folder for unfinished work.
    let work: OpenFile
    let journals: JournalFiles
    private let locks: OpenFile
    /// Tells the files of this process from those of others.
    let attempt = "\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"

    /// Creates the folder if it is missing.
    init(path: String) throws(BulkError) {
        do throws(SystemError) {
            try OutputFolder.createFolders(path)
            try OutputFolder.createFolders("\(path)/\(Self.workName)")
            root = try OpenFile(path, O_RDONLY | O_DIRECTORY)
            work = try OpenFile(Self.workName, in: root, O_RDONLY | O_DIRECTORY)
            journals = JournalFiles(work)
            locks = try OpenFile("locks", in: work, O_RDWR | O_CREAT)
            self.path = path
        } catch {
            throw BulkError("the output folder \(path) cannot be used: \(error)")
        }
    }

    /// Checks that earlier runs had the same `settings`, or records them.
    func check(_ settings: [DatasetSetting]) throws(BulkError) {
        let lines = settings.map { "\($0.option) \($0.value)" }
        let former: [String]
        do throws(SystemError) {
            former = try read(Self.settingsName, in: work).map(Self.lines) ?? []
            guard !former.isEmpty else {
                let text = lines.map { $0 + "\n" }.joined()
                return try replace(Self.settingsName, with: Array(text.utf8), in: work)
            }
        } catch {
            throw BulkError("the output folder \(path) cannot be used: \(error)")
        }
        guard let (was, now) = zip(former, lines).first(where: { $0 != $1 }) else { return }
        throw BulkError(
            """
            \(path) was made with other options: then --\(was), now --\(now); give the same options or \
            another folder
            """
        )
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Locks a shard against other processes, until this one ends.
    ///
    /// - Returns: `false` if another process has locked it.
    func lock(_ shard: Int) throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try locks.lock(byteAt: Int64(shard))
        } catch {
            // A file system without locks; the claim still prevents a mixture of two attempts.
            if [ENOSYS, ENOTSUP, ENOLCK, EINVAL].contains(error.code) { return true }
            throw error
        }
    }

    /// Returns the content of a small file; `nil` if there is none.
    func read(_ name: String, in folder: OpenFile) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            let file = try OpenFile(name, in: folder, O_RDONLY)
            return try file.read(Int(file.status().st_size), at: 0)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Writes a small file, which appears complete or not at all.
    ///
    /// A killed run leaves nothing but what is in ``work``, whatever `folder` the file is in.
    func replace(_ name: String, with bytes: [UInt8], in folder: OpenFile) throws(SystemError) {
        let file = try AtomicFile(in: work, temporary: ".\(attempt).\(name)", unnamed: false)
        try file.file.write(bytes)
        try file.commit(as: name, in: folder, synced: true)
        try sync(folder)
    }

    /// Waits until the disk has the names in `folder`.
    func sync(_ folder: OpenFile) throws(SystemError) {
        guard fsync(folder.descriptor) == 0 || errno == EINVAL else { throw SystemError("sync the folder") }
    }
}

/// An option that must not change between two runs, and its value.
struct DatasetSetting: Hashable, Sendable {
    let option: String
    let value: String
}
