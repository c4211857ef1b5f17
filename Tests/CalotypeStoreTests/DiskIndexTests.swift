import CalotypeCore
import CalotypeSQLite
import FoundationEssentials
import Testing

@testable import CalotypeStore

@Suite(.timeLimit(.minutes(1)))
struct DiskIndexTests {
    private let scratch = CacheScratch()

    /// Later, a reader could block the checkpoint that writes the mark, and a crash that loses the log would go
    /// unnoticed.
    @Test func `a new index without files is marked as in use before anyone reads it`() throws {
        let folder = try CacheFolder(creating: scratch.folder)
        let index = try DiskIndex(folder, milliseconds: 1, logLimit: .mebibytes(64))
        defer { index.abandon() }
        let copy = "\(scratch.path)/index.db"
        try FileManager.default.copyItem(atPath: folder.indexPath, toPath: copy)
        let connection = try SQLiteConnection(path: copy)
        let condition = try connection.first("SELECT condition FROM state") { $0.int(0) }
        #expect(condition == IndexCondition.inUse.rawValue)
    }
}
