import CalotypeFiles
import CalotypePlatform

/// Completes what attempts have claimed, and removes what they have left behind.
///
/// It takes the right to claim from an attempt before it removes anything else of it. So an attempt that is
/// still running fails, and never claims files that are gone.
public struct ShardGarbage: Sendable {
    /// What has been done.
    public struct Findings: Hashable, Sendable {
        /// Number of shards that had been claimed, and are complete now.
        public var completed = 0
        /// Number of files and folders that were removed.
        public var removed = 0
        /// Number of files and folders that are too new to be removed.
        public var kept = 0
    }

    /// A name that an attempt has given: that of the attempt, and the shard's if it is one's.
    private struct Mark: Hashable {
        let attempt: String
        let shard: String

        /// Reads `1234-abc.00003.tar`; `nil` for other names.
        init?(_ name: String) {
            let parts = name.drop { $0 == "." }.split(separator: ".", omittingEmptySubsequences: false)
            let halves = (parts.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count >= 2, halves.count == 2, Int(halves[0]) != nil, !halves[1].isEmpty,
                halves[1].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
            else { return nil }
            attempt = String(parts[0])
            shard = String(parts[1].hasSuffix("_stats") ? parts[1].dropLast("_stats".count) : parts[1])
        }
    }

    private let folder: DatasetFolder
    private let age: Double
    private let now: Double

    /// Prepares to clean the dataset in the folder `path`.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - age: How old what belongs to shards that are not complete must be, in seconds.
    /// - Throws: ``BulkError`` if there is no dataset.
    public init(path: String, age: Int) throws(BulkError) {
        var status = stat()
        guard unsafe stat("\(path)/\(DatasetFolder.workName)", &status) == 0 else {
            throw BulkError("\(path) is no dataset: it has no folder \(DatasetFolder.workName)")
        }
        try self.init(DatasetFolder(path: path), age: Double(age), now: ShardStats.now())
    }

    init(_ folder: DatasetFolder, age: Double, now: Double) {
        self.folder = folder
        self.age = age
        self.now = now
    }

    /// Cleans the folder; blocks meanwhile.
    public func collect() throws -> Findings {
        var findings = Findings()
        let names = FolderNames.all(in: ".", of: folder.work).sorted()
        for name in names where name.hasSuffix(ShardClaim.ending) && Mark(name) == nil {
            try complete(String(name.dropLast(ShardClaim.ending.count)), &findings)
        }
        var ages: [Mark: Double] = [:]
        for name in names {
            if let mark = Mark(name) {
                ages[mark] = min(ages[mark] ?? .infinity, try self.age(of: name))
            } else if name.hasSuffix(".journal"), !name.hasPrefix(".") {
                let shard = String(name.dropLast(".journal".count))
                if RollForward.isComplete(shard, in: folder) { findings.removed += remove(name) }
            } else if name.hasPrefix("token-"), try self.age(of: name) > age {
                // Of a driver that was killed.
                findings.removed += remove(name)
            }
        }
        for (mark, age) in ages {
            if RollForward.isComplete(mark.shard, in: folder) || age > self.age {
                findings.removed += Self.end(mark.attempt, at: mark.shard, in: folder)
                // The attempt may have claimed the shard just before.
                try complete(mark.shard, &findings)
            } else {
                findings.kept += names.count { Mark($0) == mark }
            }
        }
        return findings
    }

    /// Completes a shard that has been claimed.
    private func complete(_ shard: String, _ findings: inout Findings) throws {
        guard !RollForward.isComplete(shard, in: folder),
            var forward = try RollForward(shard, in: folder)
        else { return }
        while try forward.advance() {}
        findings.completed += 1
    }

    private func age(of name: String) throws(SystemError) -> Double {
        var status = stat()
        guard unsafe fstatat(folder.work.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return 0 }
            throw SystemError("look at \(name)")
        }
        return now - Double(status.st_mtim.tv_sec)
    }

    private func remove(_ name: String) -> Int {
        unsafe unlinkat(folder.work.descriptor, name, 0) == 0 ? 1 : 0
    }

    /// Ends an attempt at the shard called `name` and removes its files, unless it has claimed the shard and the
    /// shard still needs them.
    ///
    /// - Returns: The number of files and folders that were removed.
    @discardableResult
    static func end(_ attempt: String, at name: String, in folder: DatasetFolder) -> Int {
        let work = folder.work.descriptor
        var removed = unsafe unlinkat(work, "\(attempt).\(name).right", 0) == 0 ? 1 : 0
        // Without the right it cannot claim the shard any more; it may have done so before.
        do throws(SystemError) {
            let isClaimed = try ShardClaim.read(name, in: folder)?.attempt == attempt
            // The files of a complete shard have other names; what is left is a half-written file.
            if isClaimed, !RollForward.isComplete(name, in: folder) { return removed }
        } catch {
            return removed
        }
        let names = FolderNames.all(in: ".", of: folder.work).filter { found in
            Mark(found).map { $0.attempt == attempt && $0.shard == name } ?? false
        }
        for found in names {
            if unsafe unlinkat(work, found, 0) == 0 {
                removed += 1
            } else if errno == EISDIR || errno == EPERM {
                for inner in FolderNames.all(in: found, of: folder.work) {
                    unsafe unlinkat(work, "\(found)/\(inner)", 0)
                }
                if unsafe unlinkat(work, found, AT_REMOVEDIR) == 0 { removed += 1 }
            }
        }
        return removed
    }
}
