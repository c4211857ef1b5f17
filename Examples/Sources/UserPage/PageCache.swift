import FoundationEssentials
import TaskFlow

/// A folder that stores the newest files; it reads and writes on a separate thread.
struct PageCache: Sendable {
    let folder: URL
    let disk: ThreadExecutor
    let largestCount: Int

    /// Writes a complete file or none; if writing fails, only the cache is slower.
    func store(_ bytes: [UInt8], named name: String) async {
        try? await disk.run { try Data(bytes).write(to: folder.appending(path: name), options: .atomic) }
    }

    /// Removes the oldest files until at most ``largestCount`` are left; files that cannot be removed stay
    /// until the next time.
    func clean() async {
        try? await disk.run {
            for name in try Self.names(in: folder).dropFirst(largestCount) {
                try FileManager.default.removeItem(at: folder.appending(path: name))
            }
        }
    }

    /// Returns the files, newest first.
    static func names(in folder: URL) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        let dates = try names.map { name in
            let path = folder.appending(path: name).path(percentEncoded: false)
            return try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
                ?? .distantPast
        }
        return zip(names, dates).sorted { $0.1 > $1.1 }.map(\.0)
    }
}
