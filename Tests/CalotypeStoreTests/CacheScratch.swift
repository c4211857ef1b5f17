import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import CalotypeStore
import CalotypeTestKit
import FoundationEssentials
import TaskFlow

/// A temporary folder for a disk cache, gone with the test, and what the cache told.
final class CacheScratch: Sendable {
    let path = FileManager.default.temporaryDirectory.path + "/calotype-cache-\(UUID().uuidString)"
    let notices = Recorder<String>()

    deinit {
        _ = try? FileManager.default.removeItem(atPath: path)
    }

    var folder: String { "\(path)/cache" }

    func configuration(limit: ByteCount = .mebibytes(64)) -> DiskCacheConfiguration {
        var configuration = DiskCacheConfiguration(folder: folder)
        // Values of 20 KB are to be files.
        configuration.inlineLimit = .kibibytes(16)
        configuration.limit = limit
        configuration.onNotice = { [notices] in notices.record($0) }
        return configuration
    }

    /// Runs `body` with the cache of this folder.
    @discardableResult
    func withCache<Output>(
        limit: ByteCount = .mebibytes(64),
        clock: any Clock<Duration> = ContinuousClock(),
        _ body: (DiskCache) async throws -> Output
    ) async throws -> Output {
        try await withDiskCache(configuration(limit: limit), clock: clock, body)
    }

    // MARK: Files

    /// The value files, relative to the folder.
    func valueFiles() -> [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: "\(folder)/blobs")) ?? []
        return names.filter { $0.contains(".") }.map { "blobs/\($0)" }.sorted()
    }

    /// The bytes that the value files take together.
    func valueFileBytes() -> Int {
        valueFiles().reduce(0) { $0 + size(of: $1) }
    }

    /// The length of a file; 0 without one.
    func size(of name: String) -> Int {
        var status = stat()
        return unsafe stat("\(folder)/\(name)", &status) == 0 ? Int(status.st_size) : 0
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: name.isEmpty ? folder : "\(folder)/\(name)")
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(folder)/\(name)")
    }
}

/// Waits for what a thread of the cache does soon, and that tells of itself only when it is asked.
func until(_ isMet: () -> Bool) async throws {
    while !isMet() {
        try Task.checkCancellation()
        await Task.yield()
    }
}

extension StoredEntry {
    /// An entry of `count` bytes that tells itself from others.
    static func sample(_ seed: Int, bytes count: Int = 100) -> StoredEntry {
        var random = SplitMix64(seed: UInt64(truncatingIfNeeded: seed))
        let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return StoredEntry(metadata: Array("metadata of \(seed)".utf8), bytes: bytes)
    }
}

extension StoreKey {
    static func number(_ number: Int) -> StoreKey { StoreKey("key \(number)") }
}

// MARK: Crashes

extension CacheScratch {
    /// Copies the folder as a crash at this moment would leave it.
    func keepCopy() throws {
        try FileManager.default.copyItem(atPath: folder, toPath: "\(path)/copy")
    }

    /// Puts the copy in place of the folder.
    func restoreCopy() throws {
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.moveItem(atPath: "\(path)/copy", toPath: folder)
    }

    /// Writes into the file that is there, as a failing disk would.
    func overwrite(_ bytes: [UInt8], _ name: String) throws {
        let file = try OpenFile("\(folder)/\(name)", O_WRONLY)
        try file.write(bytes)
    }
}
