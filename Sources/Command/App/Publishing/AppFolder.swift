import CalotypeCore
import CalotypeFiles
import CalotypePublish
import FoundationEssentials
import Glibc

/// The folder in which the app keeps what is to be published, locked for this process.
///
/// Names in it are made by the app; nothing that a client says becomes a path.
final class AppFolder: Sendable {
    private let lock: OpenFile
    /// Where the bytes of files are, each with a description beside it.
    let files: String
    /// Where the descriptions of posts are.
    let posts: String
    /// Where the publisher's journal is.
    let journal: String

    /// Creates the folder where it is missing, which only its owner can look into, and locks it; blocks.
    ///
    /// - Throws: `storage_failed` where it cannot be used, also because another process does.
    init(_ path: String) throws(CalotypeError) {
        files = "\(path)/files"
        posts = "\(path)/posts"
        journal = "\(path)/journal"
        let isFree: Bool
        do throws(SystemError) {
            for folder in [path, files, posts] { try JournalFolder.create(folder) }
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
                "another server uses the app's folder \(path); end it, or name another folder with --app-folder",
                stage: .store
            )
        }
    }

    /// Writes a value as JSON, in place of what is there; blocks.
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

    /// The values in the JSON files of a folder, by their names without the ending; what cannot be read is left out.
    ///
    /// It blocks.
    static func read<Value: Decodable>(_ type: Value.Type, in folder: String) -> [String: Value] {
        var values: [String: Value] = [:]
        for name in JournalFolder.names(in: folder) where name.hasSuffix(".json") && !name.hasPrefix(".") {
            // A description that is damaged describes nothing; what it was about is removed as nobody's.
            guard let bytes = try? OpenFile("\(folder)/\(name)", O_RDONLY).read(8 << 20),
                let value = try? JSONDecoder().decode(type, from: Data(bytes))
            else { continue }
            values[String(name.dropLast(5))] = value
        }
        return values
    }

    /// Removes a file; that it is gone already is as good.
    ///
    /// It blocks.
    static func remove(_ path: String) {
        unsafe unlink(path)
    }
}
