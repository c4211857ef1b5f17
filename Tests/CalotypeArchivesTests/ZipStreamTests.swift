import Testing

@testable import CalotypeArchives

struct ZipStreamTests {
    private static func zip(_ members: [(String, [UInt8])], piece: Int = 1000) throws -> [UInt8] {
        var zip = try ZipStream()
        var bytes: [UInt8] = []
        for (name, content) in members {
            try zip.begin(name, bytes: content.count, modified: 1_767_225_600)
            for start in stride(from: 0, to: content.count, by: piece) {
                try zip.add(content[start..<min(start + piece, content.count)])
                bytes += zip.take()
            }
            try zip.end()
        }
        try zip.finish()
        return bytes + zip.take()
    }

    @Test func `members are stored as they are`() throws {
        let one = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let bytes = try Self.zip([("000000000.jpg", one), ("empty", []), ("report.jsonl", [0x7B, 0x7D])])
        let directory = try ZipDirectory(bytes)
        #expect(directory.members.map(\.name) == ["000000000.jpg", "empty", "report.jsonl"])
        #expect(directory.members.map(\.content) == [one, [], [0x7B, 0x7D]])
    }

    @Test func `an added entry can be taken immediately, and nothing of it stays`() throws {
        var zip = try ZipStream()
        try zip.begin("a", bytes: 1 << 20, modified: 0)
        for _ in 0..<16 {
            try zip.add([UInt8](repeating: 1, count: 1 << 16)[...])
            #expect((1 << 16..<1 << 17).contains(zip.take().count))
            #expect(zip.take().isEmpty)
        }
    }

    @Test func `more bytes than were promised are refused`() throws {
        var zip = try ZipStream()
        try zip.begin("a", bytes: 1, modified: 0)
        let error = #expect(throws: ArchiveError.self) { try zip.addAll([1, 2]) }
        #expect(error?.isUnavailable == false)
    }

    @Test func `a missing library is an error that says what to install`() {
        let error = #expect(throws: ArchiveError.self) { try ArchiveLibrary("libnowhere.so.1").check() }
        #expect(error?.isUnavailable == true)
        #expect(error?.description.contains("apt-get install libarchive13") == true)
        #expect(error?.description.contains("libnowhere.so.1") == true)
    }
}

extension ZipStream {
    fileprivate mutating func addAll(_ bytes: [UInt8]) throws {
        try add(bytes[...])
    }
}
