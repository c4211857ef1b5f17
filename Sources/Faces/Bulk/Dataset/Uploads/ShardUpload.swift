import CalotypeFiles
import CalotypePlatform
internal import TaskFlow

/// The way of a complete shard to a store, a step at a time, so that a test can stop it anywhere.
///
/// The statistics are stored last. When the store has all files, that is recorded in the folder. Then the
/// local files that no later run needs are removed: all but the statistics and the lines of the metadata.
struct ShardUpload {
    private enum Step {
        case begin
        case store(ArraySlice<String>)
        case record
        case remove
        case ended
    }

    private static let ending = ".uploaded"

    private let folder: DatasetFolder
    private let number: Int
    private let name: String
    private let store: any ShardStoring
    private let executor: ThreadExecutor
    private var files: [String] = []
    private var step = Step.begin

    /// Creates the upload of the complete shard `number`, which is called `name`.
    init(
        _ number: Int,
        _ name: String,
        in folder: DatasetFolder,
        to store: any ShardStoring,
        _ executor: ThreadExecutor
    ) {
        self.number = number
        self.name = name
        self.folder = folder
        self.store = store
        self.executor = executor
    }

    /// Whether this upload has stored the shard, which no earlier one had done.
    private(set) var hasStored = false

    /// Takes the next step.
    ///
    /// - Returns: `false` at the end.
    /// - Throws: ``BulkError`` if the shard must not be stored; any other error if it cannot be.
    mutating func advance() async throws -> Bool {
        switch step {
        case .begin: try await begin()
        case .store(var rest):
            guard let file = rest.popFirst() else {
                step = .record
                return try await advance()
            }
            try await store.store("\(folder.path)/\(file)", as: file)
            step = .store(rest)
        case .record:
            let mark = Array("\(store.address)\n".utf8)
            try await executor.run { [folder, name] in
                try folder.replace(name + Self.ending, with: mark, in: folder.work)
            }
            hasStored = true
            step = .remove
        case .remove:
            try await executor.run { [folder, files] in
                // A file that stays takes space and does no harm; the next run tries again.
                for file in files where !file.hasSuffix(".jsonl") {
                    unsafe unlinkat(folder.root.descriptor, file, 0)
                }
            }
            step = .ended
        case .ended: return false
        }
        return true
    }

    private mutating func begin() async throws {
        let (files, isStored) = try await executor.run { [folder, number, name] in
            guard try folder.lock(number) else {
                throw BulkError("another run is uploading shard \(name) of \(folder.path)")
            }
            guard let bytes = try folder.read(Self.statsName(name), in: folder.root),
                let stats = ShardStats(json: bytes)
            else { throw BulkError("\(Self.statsName(name)) in \(folder.path) is damaged") }
            return (stats.files.map(\.name), try folder.read(name + Self.ending, in: folder.work) != nil)
        }
        self.files = files
        step = isStored ? .remove : .store((files + [Self.statsName(name)])[...])
    }

    private static func statsName(_ name: String) -> String { "\(name)_stats.json" }
}
