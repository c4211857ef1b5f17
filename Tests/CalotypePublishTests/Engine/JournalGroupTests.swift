import CalotypeHTTP
import CalotypeSQLite
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct JournalGroupTests {
    @Test func `a change that fails leaves the others of its group alone`() async throws {
        try await withScratchFolder { folder in
            let database = try JournalDatabase("\(folder)/journal.sqlite")
            let numbers = try ["a", "b", "c"].map { text in
                let publication = try Self.publication(text)
                return try database.writing { database throws(SQLiteError) in
                    try database.insert(publication, at: WallTime(secondsSince1970: 0))
                }
            }
            let group = JournalGroup()
            let changes = numbers.map { number in
                group.add { database throws(SQLiteError) in
                    try database.setState(.failed, problem: "it failed", in: number)
                    if number == numbers[1] { throw SQLiteError(extendedCode: 13, message: "full") }
                }
            }
            group.commit(to: database)
            try changes[0].check()
            #expect(throws: SQLiteError.self) { try changes[1].check() }
            try changes[2].check()
            let states = try numbers.map { try database.publication($0)?.state }
            #expect(states == [.failed, .collecting, .failed])
        }
    }

    @Test func `a group is written once`() async throws {
        try await withScratchFolder { folder in
            let database = try JournalDatabase("\(folder)/journal.sqlite")
            let count = Guarded(0)
            let group = JournalGroup()
            let change = group.add { _ throws(SQLiteError) in count.withLock { $0 += 1 } }
            group.commit(to: database)
            group.commit(to: database)
            try change.check()
            #expect(count.withLock(\.self) == 1)
        }
    }

    private static func publication(_ text: String) throws -> NewPublication {
        let identity = try PostIdentity(Post(text, media: []), [], to: ScriptedDestination())
        return NewPublication(identity: identity, destination: "scripted", note: nil, text: text, items: [])
    }
}
