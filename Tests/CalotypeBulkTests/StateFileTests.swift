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
            first: .init(format: .jpeg, bytes: 12, size: PixelSize(width: 3, height: 4)),
            sourceSize: PixelSize(width: 5, height: 6),
            sourceFormat: .webp,
            sourceFrames: index == 1 ? nil : 7,
            sourceBytes: 8
        )
    }

    /// Records of one file, of several, and of a set that is not complete.
    private static var shapes: [StateRecord] {
        var labelled = record(123)
        labelled.first.label = 256
        var several = labelled
        several.others = [
            .init(label: 512, format: .webp, bytes: 99, size: PixelSize(width: 5, height: 6)),
            .init(format: .avif, bytes: 0, size: PixelSize(width: 1, height: 1)),
        ]
        var partial = several
        partial.isComplete = false
        var partialOne = record(123)
        partialOne.isComplete = false
        return [record(123), labelled, several, partial, partialOne]
    }

    @Test func `a record survives as a line`() {
        for record in [Self.record(0), Self.record(1)] + Self.shapes {
            #expect(StateRecord.parse(String(record.line.dropLast()))?.record == record)
        }
    }

    @Test func `a complete single file has the line that it always had`() {
        #expect(Self.record(1, url: "").line.split(separator: " ").count == 13)
        #expect(Self.record(1, url: "").line.contains(" jpeg webp 12 3 4 5 6 -1 8 "))
    }

    @Test func `no cut of a line is believed`() {
        for line in Self.shapes.map({ $0.line.dropLast() }) {
            for length in 0..<line.count { #expect(StateRecord.parse(String(line.prefix(length))) == nil) }
            #expect(StateRecord.parse(String(line).replacing("123 ", with: "124 ")) == nil)
        }
    }

    @Test func `what was added and removed is known the next time`() throws {
        let folder = try Folder()
        let first = StateFile(folder: "/a", home: folder.state)
        for index in 0..<4 { first.add([Self.record(index)]) }
        first.remove([2])
        let second = StateFile(folder: "/a", home: folder.state)
        #expect((0..<5).map { second.record(of: $0) != nil } == [true, true, false, true, false])
        #expect(StateFile(folder: "/b", home: folder.state).record(of: 0) == nil)
        #expect(second.takeProblem() == nil)
    }

    @Test func `the state of a deleted folder is found by its name and removed`() throws {
        let folder = try Folder()
        let (kept, gone) = (folder.path + "/kept", folder.path + "/gone %41\n\u{fc}")
        try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
        for path in [kept, gone] { StateFile(folder: path, home: folder.state).add([Self.record(0)]) }
        let old = folder.state + "/calotype/" + StateFile.fileName(folder: folder.path + "/old")
        try Data(Self.record(0).line.utf8).write(to: URL(filePath: old))

        let states = FetchStates(home: folder.state)
        #expect(states.orphans.map(\.folder) == [gone])
        #expect(states.unnamedCount == 1)
        for orphan in states.orphans { try states.remove(orphan) }
        #expect(FetchStates(home: folder.state).orphans.isEmpty)
        #expect(StateFile(folder: kept, home: folder.state).record(of: 0) != nil)
        #expect(StateFile(folder: gone, home: folder.state).record(of: 0) == nil)
    }

    @Test func `an earlier version's file gets its folder's name, and keeps its records`() throws {
        let folder = try Folder()
        StateFile(folder: "/gone", home: folder.state).add([Self.record(0)])
        let file = folder.state + "/calotype/" + StateFile.fileName(folder: "/gone")
        try Data(Self.record(0).line.utf8).write(to: URL(filePath: file))
        #expect(FetchStates(home: folder.state).orphans.isEmpty)
        #expect(StateFile(folder: "/gone", home: folder.state).record(of: 0) != nil)
        _ = StateFile(folder: "/gone", home: folder.state)
        #expect(try folder.text(file) == Self.record(0).line + "folder /gone\n")
        #expect(FetchStates(home: folder.state).orphans.map(\.folder) == ["/gone"])
    }

    @Test func `a torn last line is forgotten and does not spoil the next`() throws {
        let folder = try Folder()
        StateFile(folder: "/a", home: folder.state).add([Self.record(0)])
        let file = folder.state + "/calotype/fetch-\(StableHash.hexadecimal("/a")).state"
        let torn = try folder.text(file) + Self.record(1).line.prefix(30)
        try Data(torn.utf8).write(to: URL(filePath: file))
        let second = StateFile(folder: "/a", home: folder.state)
        #expect(second.record(of: 0) != nil)
        #expect(second.record(of: 1) == nil)
        second.add([Self.record(2)])
        #expect(StateFile(folder: "/a", home: folder.state).record(of: 2) != nil)
    }

    @Test func `garbage is a run that remembers nothing`() throws {
        let folder = try Folder()
        StateFile(folder: "/a", home: folder.state).add([Self.record(0)])
        let file = folder.state + "/calotype/fetch-\(StableHash.hexadecimal("/a")).state"
        try Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: URL(filePath: file))
        let state = StateFile(folder: "/a", home: folder.state)
        #expect(state.record(of: 0) == nil)
        state.add([Self.record(0)])
        #expect(StateFile(folder: "/a", home: folder.state).record(of: 0) != nil)
    }

    @Test func `a file with many outdated lines is made small again`() throws {
        let folder = try Folder()
        let first = StateFile(folder: "/a", home: folder.state)
        for _ in 0..<1500 { first.add([Self.record(0)]) }
        let file = folder.state + "/calotype/fetch-\(StableHash.hexadecimal("/a")).state"
        #expect(StateFile(folder: "/a", home: folder.state).record(of: 0) != nil)
        #expect(try folder.text(file) == Self.record(0).line + "folder /a\n")
    }

    @Test func `the records of a run are those that it made or confirmed, by index`() throws {
        let folder = try Folder()
        StateFile(folder: "/a", home: folder.state).add([0, 9_000, 20_000, 40_000].map { Self.record($0) })
        let state = StateFile(folder: "/a", home: folder.state)
        var made = Self.record(30_000)
        made.isOfThisRun = true
        state.add([made])
        state.confirm(20_000)
        state.confirm(1)
        state.remove([30_000, 40_000])
        state.add([made])
        var seen: [Int] = []
        state.forEachOfThisRun { seen.append($0.index) }
        #expect(seen == [20_000, 30_000])
        #expect(state.hasFormerRecords && state.record(of: 40_000) == nil)
        #expect(state.record(of: 9_000) == Self.record(9_000))
    }

    @Test func `a line that is too long hides no record around it`() throws {
        let folder = try Folder()
        StateFile(folder: "/a", home: folder.state).add([Self.record(0)])
        let file = folder.state + "/calotype/fetch-\(StableHash.hexadecimal("/a")).state"
        let long = String(repeating: "x", count: 200_000)
        let text = try folder.text(file) + long + "\n" + Self.record(7).line
        try Data(text.utf8).write(to: URL(filePath: file))
        let state = StateFile(folder: "/a", home: folder.state)
        #expect([0, 7].map { state.record(of: $0) } == [Self.record(0), Self.record(7)])
    }

    @Test func `without a place to remember, it says so once`() throws {
        let folder = try Folder()
        let file = try folder.write([], to: "file")
        let state = StateFile(folder: "/a", home: file)
        #expect(state.takeProblem()?.contains("cannot be stored") == true)
        #expect(state.takeProblem() == nil)
        state.add([Self.record(0)])
        #expect(state.record(of: 0) != nil)
        #expect(StateFile(folder: "/a", home: file).record(of: 0) == nil)
    }
}
