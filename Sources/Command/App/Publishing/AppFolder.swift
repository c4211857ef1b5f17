import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import CalotypePublish
import FoundationEssentials

/// The app's folder for publishing, locked for this process.
///
/// The app creates all names in it; no text from a client becomes a path.
final class AppFolder: Sendable {
    private let lock: OpenFile
    /// The folder of the files, each with a description next to it.
    let files: String
    /// The folder of the files that are still arriving; those that can be continued have a description next to them.
    let uploads: String
    /// The folder of the posts' descriptions.
    let posts: String
    /// The folder of the publisher's journal.
    let journal: String

    /// Opens and locks the folder; creates it for the owner only if it is missing; blocks.
    ///
    /// - Throws: `storage_failed` if the folder cannot be used, for example because another process uses it.
    init(_ path: String) throws(CalotypeError) {
        files = "\(path)/files"
        uploads = "\(path)/uploads"
        posts = "\(path)/posts"
        journal = "\(path)/journal"
        let isFree: Bool
        do throws(SystemError) {
            for folder in [path, files, uploads, posts] { try JournalFolder.create(folder) }
            lock = try OpenFile("\(path)/lock", O_RDWR | O_CREAT, mode: 0o600)
            isFree = try lock.lock()
        } catch {
            throw CalotypeError(
                .storageFailed,
                "the app's folder \(path) cannot be used: \(error)",
                stage: .store
            )
        }
        guard isFree else {
            throw CalotypeError(
                .storageFailed,
                "another server uses the app's folder \(path); stop it, or use another folder with --app-folder",
                stage: .store
            )
        }
    }

    /// Writes a value as JSON, replacing the file; blocks.
    static func write(_ value: some Encodable, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = Array(try encoder.encode(value))
        do throws(SystemError) {
            try AtomicFile.write(bytes, to: path)
        } catch {
            throw CalotypeError(
                .storageFailed,
                "the app's folder cannot be written: \(error)",
                stage: .store,
                cause: error
            )
        }
    }

    /// Returns the values in the JSON files of a folder, by their names without the extension; blocks.
    ///
    /// Files that cannot be read are left out.
    static func read<Value: Decodable>(_ type: Value.Type, in folder: String) -> [String: Value] {
        var values: [String: Value] = [:]
        for name in FolderNames.all(in: folder) where name.hasSuffix(".json") && !name.hasPrefix(".") {
            // A damaged description is ignored; its files are then removed as orphans.
            guard let bytes = try? OpenFile("\(folder)/\(name)", O_RDONLY).read(8 << 20),
                let value = try? JSONDecoder().decode(type, from: Data(bytes))
            else { continue }
            values[String(name.dropLast(5))] = value
        }
        return values
    }

    /// Removes a file if it exists; blocks.
    static func remove(_ path: String) {
        unsafe unlink(path)
    }
}
