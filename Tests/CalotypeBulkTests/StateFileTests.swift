import CalotypeCore
import FoundationEssentials
import Testing

@testable import CalotypeBulk

struct StateFileTests {
    private static func record(_ index: Int, url: String = "http://x/ü") -> StateRecord {
        StateRecord(
            index: index,
            url: StableHash.hash(url),
            options: .max,
            end: .jpeg,
            bytes: 12,
            size: PixelSize(width: 3, height: 4),
            sourceSize: PixelSize(width: 5, height: 6),
            sourceFormat: .webp,
            sourceFrames: index == 1 ? nil : 7,
            sourceBytes: 8
        )
    }

    @Test func `a record survives as a line`() {
        for record in [Self.record(0), Self.record(1)] {
            #expect(StateRecord.parse(String(record.line.dropLast()))?.record == record)
        }
    }

    @Test func `no cut of a line is believed`() {
        let line = Self.record(123).line.dropLast()
        for length in 0..<line.count { #expect(StateRecord.parse(String(line.prefix(length))) == nil) }
        #expect(StateRecord.parse(String(line).replacing("123 ", with: "124 ")) == nil)
    }

    @Test func `what was added and removed is known the next time`() throws {
        let folder = try Folder()
        let first = StateFile(folder: "/a", home: folder.state)
        for index in 0..<4 { first.add(Self.record(index)) }
        first.remove(2)
        let second = StateFile(folder: "/a", home: folder.state)
        #expect((0..<5).map { second.record(of: $0) != nil } == [true, true, false, true, false])
        #expect(StateFile(folder: "/b", home: folder.state).record(of: 0) == nil)
        #expect(second.takeProblem() == nil)
    }

    @Test func `a torn last line is forgotten and does not spoil the next (A04)`() throws {
        let folder = try Folder()
        StateFile(folder: "/a", home: folder.state).add(Self.record(0))
        let file = folder.state + "/calotype/fetch-\(StableHash.hexadecimal("/a")).state"
        let torn = try folder.text(file) + Self.record(1).line.prefix(30)
        try Data(torn.utf8).write(to: URL(filePath: file))
        let second = StateFile(folder: "/a", home: folder.state)
        #expect(second.record(of: 0) != nil)
        #expect(second.record(of: 1) == nil)
        second.add(Self.record(2))
        #expect(StateFile(folder: "/a", home: folder.state).record(of: 2) != nil)
    }

    @Test func `garbage is a run that remembers nothing`() throws {
        let folder = try Folder()
        StateFile(folder: "/a", home: folder.state).add(Self.record(0))
        let file = folder.state + "/calotype/fetch-\(StableHash.hexadecimal("/a")).state"
        try Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: URL(filePath: file))
        let state = StateFile(folder: "/a", home: folder.state)
        #expect(state.record(of: 0) == nil)
        state.add(Self.record(0))
        #expect(StateFile(folder: "/a", home: folder.state).record(of: 0) != nil)
    }

    @Test func `a file with many outdated lines is made small again`() throws {
        let folder = try Folder()
        let first = StateFile(folder: "/a", home: folder.state)
        for _ in 0..<1500 { first.add(Self.record(0)) }
        let file = folder.state + "/calotype/fetch-\(StableHash.hexadecimal("/a")).state"
        #expect(StateFile(folder: "/a", home: folder.state).record(of: 0) != nil)
        #expect(try folder.text(file) == Self.record(0).line)
    }

    @Test func `without a place to remember, it says so once`() throws {
        let folder = try Folder()
        let file = try folder.write([], to: "file")
        let state = StateFile(folder: "/a", home: file)
        #expect(state.takeProblem()?.contains("will not be remembered") == true)
        #expect(state.takeProblem() == nil)
        state.add(Self.record(0))
        #expect(state.record(of: 0) == nil)
    }
}
