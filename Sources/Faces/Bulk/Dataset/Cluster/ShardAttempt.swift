internal import CalotypeCore
import CalotypeFiles
import CalotypePlatform

/// What an attempt says when it has made all files of a shard.
struct ShardClaim {
    let attempt: String
    let list: String
    let files: [String]
    let stats: String

    init(attempt: String, list: String, files: [String], stats: String) {
        self.attempt = attempt
        self.list = list
        self.files = files
        self.stats = stats
    }

    /// Reads a claim: a line each for the attempt, the list and the statistics, and one for each file.
    init?(_ bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        guard lines.count >= 4, lines.last == "end" else { return nil }
        attempt = lines[0]
        list = lines[1]
        stats = lines[2]
        files = Array(lines[3..<lines.count - 1])
    }

    var bytes: [UInt8] {
        Array(([attempt, list, stats] + files + ["end", ""]).joined(separator: "\n").utf8)
    }

    /// The ending of the file with the claim of a shard.
    static let ending = ".commit"

    /// Returns the claim of the shard called `name`; `nil` if no attempt has made one.
    static func read(_ name: String, in folder: DatasetFolder) throws(SystemError) -> ShardClaim? {
        guard let bytes = try folder.read(name + ending, in: folder.work) else { return nil }
        guard let claim = ShardClaim(bytes) else { throw SystemError("read \(name)\(ending)", code: EILSEQ) }
        return claim
    }
}

/// An attempt to complete a shard, a step at a time, so that a test can stop it anywhere.
///
/// Until the link, everything has the attempt's name and concerns no other. The link is made from a file that
/// stands for the right to make it. A process that removes this file first can then remove the other files,
/// because the attempt can no longer win.
struct ShardAttempt {
    private enum Step {
        case begin
        case write(right: OpenFile)
        case sign(right: OpenFile, ShardStats)
        case link
        case forward(RollForward)
    }

    private let folder: DatasetFolder
    private let name: String
    private let mayClaim: @Sendable () -> Bool
    private let write: () throws -> ShardStats
    private var step = Step.begin

    /// Creates an attempt at the shard called `name`; `write` makes its files and waits until the disk has them.
    init(
        _ folder: DatasetFolder,
        _ name: String,
        mayClaim: @escaping @Sendable () -> Bool,
        write: @escaping () throws -> ShardStats
    ) {
        self.folder = folder
        self.name = name
        self.mayClaim = mayClaim
        self.write = write
    }

    /// Takes the next step.
    ///
    /// - Returns: `false` if the shard is complete.
    /// - Throws: `BulkError` if this attempt may no longer complete the shard.
    mutating func advance() throws -> Bool {
        switch step {
        case .begin: try begin()
        case .write(let right): step = .sign(right: right, try write())
        case .sign(let right, let stats): try sign(right, stats)
        case .link: try link()
        case .forward(var forward):
            let isOpen = try forward.advance()
            step = .forward(forward)
            return isOpen
        }
        return true
    }

    private mutating func begin() throws(SystemError) {
        if let forward = try RollForward(name, in: folder) { return step = .forward(forward) }
        step = .write(right: try OpenFile(rightName, in: folder.work, O_WRONLY | O_CREAT | O_EXCL))
    }

    private mutating func sign(_ right: OpenFile, _ stats: ShardStats) throws(SystemError) {
        let names = stats.files.map(\.name)
        let claim = ShardClaim(attempt: folder.attempt, list: stats.list, files: names, stats: stats.json)
        try right.write(claim.bytes)
        guard fdatasync(right.descriptor) == 0 else { throw SystemError("write the claim to the disk") }
        try folder.sync(folder.work)
        step = .link
    }

    private mutating func link() throws {
        guard mayClaim() else { throw BulkError("this process may no longer complete shards") }
        let descriptor = folder.work.descriptor
        let status = unsafe linkat(descriptor, rightName, descriptor, name + ShardClaim.ending, 0)
        let reason = errno
        guard let claim = try ShardClaim.read(name, in: folder) else {
            if status != 0, reason == ENOENT { throw BulkError("the attempt at shard \(name) was ended") }
            throw SystemError("claim the shard", code: status == 0 ? EIO : reason)
        }
        // A network file system can report an error although the link was made.
        if claim.attempt == folder.attempt {
            unsafe unlinkat(descriptor, rightName, 0)
            try folder.sync(folder.work)
        } else {
            discard()
        }
        step = .forward(RollForward(claim, name, in: folder))
    }

    /// Removes what this attempt has made, unless it has won.
    func discard() {
        ShardGarbage.end(folder.attempt, at: name, in: folder)
    }

    private var rightName: String { "\(folder.attempt).\(name).right" }
}

/// The way from a claim to a complete shard, a step at a time; several processes can take it at the same time.
struct RollForward {
    private enum Step {
        case rename(ArraySlice<String>)
        case finish
        case ended
    }

    private let folder: DatasetFolder
    private let name: String
    private let claim: ShardClaim
    private var step: Step

    /// Begins with the claim of the shard called `name`; `nil` if there is none.
    init?(_ name: String, in folder: DatasetFolder) throws(SystemError) {
        guard let claim = try ShardClaim.read(name, in: folder) else { return nil }
        self.init(claim, name, in: folder)
    }

    init(_ claim: ShardClaim, _ name: String, in folder: DatasetFolder) {
        self.claim = claim
        self.name = name
        self.folder = folder
        step = Self.isComplete(name, in: folder) ? .ended : .rename(claim.files[...])
    }

    /// Whether the shard called `name` is complete and all its files have their names.
    static func isComplete(_ name: String, in folder: DatasetFolder) -> Bool {
        exists(statsName(name), in: folder)
    }

    /// Takes the next step.
    ///
    /// - Returns: `false` if the shard is complete.
    mutating func advance() throws(SystemError) -> Bool {
        switch step {
        case .rename(var files):
            guard let file = files.popFirst() else {
                step = .finish
                return try advance()
            }
            try rename(file)
            step = .rename(files)
        case .finish:
            try finish()
            step = .ended
        case .ended:
            unsafe unlinkat(folder.work.descriptor, "\(name).journal", 0)
            return false
        }
        return true
    }

    private func rename(_ file: String) throws(SystemError) {
        let from = "\(claim.attempt).\(file)"
        let status = unsafe renameat(folder.work.descriptor, from, folder.root.descriptor, file)
        guard status != 0 else { return }
        let reason = errno
        // Another process has done so in the meantime.
        if reason == ENOENT, Self.exists(file, in: folder) { return }
        throw SystemError("name \(file)", code: reason)
    }

    private func finish() throws(SystemError) {
        try folder.sync(folder.root)
        do throws(SystemError) {
            try folder.replace(Self.statsName(name), with: Array(claim.stats.utf8), in: folder.root)
        } catch {
            // Another process has done so in the meantime, and the temporary file was removed.
            guard Self.isComplete(name, in: folder) else { throw error }
        }
    }

    private static func statsName(_ name: String) -> String { "\(name)_stats.json" }

    private static func exists(_ file: String, in folder: DatasetFolder) -> Bool {
        var status = stat()
        return unsafe fstatat(folder.root.descriptor, file, &status, 0) == 0
    }
}
