import CalotypeFiles
import CalotypePlatform
internal import TaskFlow

/// What killed runs left of shards: staged files, and journals of shards that are complete.
///
/// It is listed once, before this process has files of its own.
final class StagedLeftovers: Sendable {
    private struct Names {
        var staged: [String] = []
        var journal: String?
    }

    /// The names by that of the shard.
    private let found: Guarded<[String: Names]>

    init(in work: OpenFile) {
        var found: [String: Names] = [:]
        for name in FolderNames.all(in: ".", of: work) {
            if name.hasSuffix(".journal") {
                found[String(name.dropLast(".journal".count)), default: Names()].journal = name
            } else if let shard = Self.shard(ofStaged: name) {
                found[shard, default: Names()].staged.append(name)
            }
        }
        self.found = Guarded(found)
    }

    /// Whether there is anything of a shard, or its journal.
    func has(_ shard: String) -> Bool { found.withLock { $0[shard] != nil } }

    /// Removes what is left of a shard that no other process works on.
    ///
    /// Its journal is still needed unless it `isComplete`.
    func remove(of shard: String, isComplete: Bool, in work: OpenFile) {
        guard let names = found.withLock({ $0.removeValue(forKey: shard) }) else { return }
        // What cannot be removed does no harm.
        for name in names.staged + (isComplete ? [names.journal].compactMap(\.self) : []) {
            guard unsafe unlinkat(work.descriptor, name, 0) != 0, errno == EISDIR else { continue }
            for file in FolderNames.all(in: name, of: work) {
                unsafe unlinkat(work.descriptor, "\(name)/\(file)", 0)
            }
            unsafe unlinkat(work.descriptor, name, AT_REMOVEDIR)
        }
    }

    /// Returns the shard's name in that of a staged file: `00001` for `4711-k3x9.00001.tar`; `nil` for other
    /// files.
    private static func shard(ofStaged name: String) -> String? {
        let parts = name.split(separator: ".")
        guard let attempt = parts.first, isAttempt(attempt) else { return nil }
        let shard = parts.drop(while: isAttempt).first?.prefix { ("0"..."9").contains($0) }
        return shard.flatMap { $0.isEmpty ? nil : String($0) }
    }

    private static func isAttempt(_ part: Substring) -> Bool {
        let halves = part.split(separator: "-", omittingEmptySubsequences: false)
        return halves.count == 2 && Int(halves[0]) != nil && UInt64(halves[1], radix: 36) != nil
    }
}
