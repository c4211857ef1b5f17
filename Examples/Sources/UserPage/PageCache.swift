import FoundationEssentials
import TaskFlow

/// A folder of files, of which the newest are kept; it reads and writes on a thread of its own.
struct PageCache: Sendable {
    let folder: URL
    let disk: ThreadExecutor
    let largestCount: Int

    /// Writes a file whole or not at all; a cache that cannot be written is only slower.
    func store(_ bytes: [UInt8], named name: String) async {
        try? await disk.run { try Data(bytes).write(to: folder.appending(path: name), options: .atomic) }
    }

    /// Removes the oldest files until no more than ``largestCount`` are left; what fails is left for the next time.
    func clean() async {
        try? await disk.run {
            for name in try Self.names(in: folder).dropFirst(largestCount) {
                try FileManager.default.removeItem(at: folder.appending(path: name))
            }
        }
    }

    /// The files, the newest first.
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
