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
    /// The name of the file with the address to which shards are uploaded.
    static let storeName = "store"

    let path: String
    let root: OpenFile
    /// The folder for unfinished work.
    let work: OpenFile
    let journals: JournalFiles
    private let locks: OpenFile
    /// What killed runs left of shards, by the shard's name.
    private let leftovers: StagedLeftovers
    /// Tells the files of this process from those of others.
    let attempt = "\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"

    /// Whether several processes may make the same shard, each with a journal of its own.
    let isShared: Bool

    /// Creates the folder if it is missing.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - isShared: Whether several processes may make the same shard, so that none is locked.
    ///   - scratch: Another folder for the journals.
    /// - Throws: ``BulkError`` if the folder cannot be used.
    init(path: String, isShared: Bool = false, scratch: OpenFile? = nil) throws(BulkError) {
        self.isShared = isShared
        do throws(SystemError) {
            try OutputFolder.createFolders(path)
            try OutputFolder.createFolders("\(path)/\(Self.workName)")
            root = try OpenFile(path, O_RDONLY | O_DIRECTORY)
            work = try OpenFile(Self.workName, in: root, O_RDONLY | O_DIRECTORY)
            journals = JournalFiles(scratch ?? work)
            locks = try OpenFile("locks", in: work, O_RDWR | O_CREAT)
            leftovers = StagedLeftovers(in: work)
            self.path = path
        } catch {
            throw BulkError("the output folder \(path) cannot be used: \(error)")
        }
    }

    /// Checks that earlier runs had the same `settings`, or records them.
    ///
    /// A setting that an earlier version did not record had its `usual` value.
    func check(_ settings: [DatasetSetting], usual: [DatasetSetting]) throws(BulkError) {
        var former: [String: String] = [:]
        do throws(SystemError) {
            let lines = try read(Self.settingsName, in: work).map(Self.lines) ?? []
            guard !lines.isEmpty else {
                let text = settings.map { "\($0.option) \($0.value)\n" }.joined()
                return try replace(Self.settingsName, with: Array(text.utf8), in: work)
            }
            for line in lines {
                let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
                former[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
            }
        } catch {
            throw BulkError("the output folder \(path) cannot be used: \(error)")
        }
        for usual in usual where former[usual.option] == nil { former[usual.option] = usual.value }
        guard let now = settings.first(where: { former[$0.option] != $0.value }) else { return }
        throw BulkError(
            """
            \(path) was made with other options: then --\(now.option) \(former[now.option] ?? ""), now \
            --\(now.option) \(now.value); give the same options or another folder
            """
        )
    }

    /// Checks that the shards of earlier runs were uploaded to the same address too, or records it.
    ///
    /// `nil` stands for a folder in which they stay.
    func bind(to address: String?) throws(BulkError) {
        let former = try usable { () throws(SystemError) in
            try read(Self.storeName, in: work).flatMap { Self.lines($0).first }
        }
        guard former != address else { return }
        if let former {
            throw BulkError("\(path) is the work folder of \(former); give that as OUTPUT, or another folder")
        }
        guard completeShards().isEmpty, let address else {
            throw BulkError("\(path) has a dataset of its own; give another folder with --work")
        }
        try usable { () throws(SystemError) in
            try replace(Self.storeName, with: Array("\(address)\n".utf8), in: work)
        }
    }

    private func usable<Value>(_ body: () throws(SystemError) -> Value) throws(BulkError) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            throw BulkError("the output folder \(path) cannot be used: \(error)")
        }
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Locks a shard against other processes, until this one ends.
    ///
    /// - Returns: `false` if another process has locked it.
    func lock(_ shard: Int) throws(SystemError) -> Bool {
        if isShared { return true }
        do throws(SystemError) {
            return try locks.lock(byteAt: Int64(shard))
        } catch {
            // A file system without locks; the claim still prevents a mixture of two attempts.
            if [ENOSYS, ENOTSUP, ENOLCK, EINVAL].contains(error.code) { return true }
            throw error
        }
    }

    /// Removes what killed runs left of the shard `number`, unless another process works on it.
    ///
    /// Call it when the shard is complete, or locked and not claimed.
    func removeLeftovers(of number: Int, _ name: String, isComplete: Bool) throws(SystemError) {
        // Nobody locks shards that are shared, and ``ShardGarbage`` looks after them.
        guard !isShared, leftovers.has(name) else { return }
        do throws(SystemError) {
            guard try locks.lock(byteAt: Int64(number)) else { return }
        } catch {
            // Without locks, nobody knows whether a run was killed.
            return
        }
        leftovers.remove(of: name, isComplete: isComplete, in: work)
    }

    /// Returns the name of the journal of the shard called `name`.
    func journalName(_ name: String) -> String { isShared ? "\(attempt).\(name).journal" : "\(name).journal" }

    /// Removes the journals of this attempt.
    func removeJournals() {
        for name in FolderNames.all(in: ".", of: journals.folder)
        where name.hasPrefix("\(attempt).") && name.hasSuffix(".journal") {
            unsafe unlinkat(journals.folder.descriptor, name, 0)
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
