import CalotypeCore
import CalotypeDigests
import CalotypeFiles
import CalotypePlatform
import CalotypeStore
import FoundationEssentials

/// A temporary folder of value files, gone with the test.
struct BlobFolder: ~Copyable {
    static let name = "0a1b.7"
    static let entry = StoredEntry(metadata: [7, 8, 9], bytes: [1, 2, 3, 4, 5])

    let path: String
    let file: OpenFile
    let key: Digest

    init() throws {
        let path = FileManager.default.temporaryDirectory.path + "/calotype-blobs-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let file = try OpenFile(path, O_RDONLY | O_DIRECTORY)
        let key = try Digest(.sha256, of: "a key")
        (self.path, self.file, self.key) = (path, file, key)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes `entry` as the file of its name.
    func write(_ entry: StoredEntry = entry) throws {
        try BlobFile.write(entry, key: key, createdMilliseconds: 1_234_567_890_123, as: Self.name, in: file)
    }

    func read(_ name: String = name, limit: ByteCount = .mebibytes(1)) throws -> StoredEntry? {
        try BlobFile.read(name, in: file, key: key, limit: limit)
    }

    /// What reading the file says is wrong; `nil` when it reads well.
    func damage(_ name: String = name, limit: ByteCount = .mebibytes(1)) throws -> BlobDamage? {
        do throws(BlobError) {
            _ = try BlobFile.read(name, in: file, key: key, limit: limit)
            return nil
        } catch {
            guard case .damaged(let damage) = error else { throw error }
            return damage
        }
    }

    /// What reading the head of the file says is wrong; `nil` when it reads well.
    func headDamage(limit: ByteCount = .mebibytes(1)) throws -> BlobDamage? {
        do throws(BlobError) {
            _ = try BlobFile.readHead(Self.name, in: file, limit: limit)
            return nil
        } catch {
            guard case .damaged(let damage) = error else { throw error }
            return damage
        }
    }

    var bytes: [UInt8] {
        get throws { [UInt8](try Data(contentsOf: URL(filePath: path + "/" + Self.name))) }
    }

    func replaceFile(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: path + "/" + Self.name))
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
    }
}
