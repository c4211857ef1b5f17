import CalotypeCore
import CalotypePlatform
import CalotypeStore
import FoundationEssentials
import Testing

/// A cache folder that is gone with the test.
private struct CacheFolder: ~Copyable {
    let path = FileManager.default.temporaryDirectory.path + "/calotype-partial-\(UUID().uuidString)"

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path + "/partial").sorted() }
    }

    /// Changes the bytes of the one file.
    func damage(_ change: (inout Data) -> Void) throws {
        let file = URL(filePath: "\(path)/partial/\(try #require(try names.first))")
        var bytes = try Data(contentsOf: file)
        change(&bytes)
        try bytes.write(to: file)
    }
}

@Suite struct PartialDownloadsTests {
    private static let size = PartialDownloads.shortest.bytes

    private func entry(_ number: UInt8, _ count: Int = size) -> StoredEntry {
        StoredEntry(metadata: [1, 2, number], bytes: [UInt8](repeating: number, count: count))
    }

    @Test func `a beginning is there until it is taken, also for another process`() throws {
        let folder = CacheFolder()
        let key = StoreKey("a")
        PartialDownloads(in: folder.path).keep(entry(1), for: key)
        let downloads = PartialDownloads(in: folder.path)
        #expect(downloads.contents.count == 1)
        let found = try #require(downloads.look(key))
        #expect(found.metadata == [1, 2, 1])
        #expect(found.count.bytes == Self.size)
        #expect(downloads.look(StoreKey("b")) == nil)
        #expect(downloads.take(key) == entry(1))
        #expect(downloads.take(key) == nil)
        #expect(try folder.names.isEmpty)
    }

    @Test func `the beginnings of one source or partition are removed together`() throws {
        let folder = CacheFolder()
        let downloads = PartialDownloads(in: folder.path)
        let groups = [nil, "tenant"].flatMap { partition in
            ["one", "two"].map { StoreGroup(partition: partition, source: $0) }
        }
        for group in groups { downloads.keep(entry(1), for: StoreKey("a", in: group)) }
        func kept() -> [Bool] { groups.map { downloads.look(StoreKey("a", in: $0)) != nil } }
        downloads.removeAll(in: groups[0])
        #expect(kept() == [false, true, true, true])
        downloads.removeAll(in: StoreGroup(partition: "tenant"))
        #expect(kept() == [false, true, false, false])
    }

    @Test func `the latest beginning of a key takes the place of the one before`() throws {
        let folder = CacheFolder()
        let downloads = PartialDownloads(in: folder.path)
        for number in 1...3 as ClosedRange<UInt8> { downloads.keep(entry(number), for: StoreKey("a")) }
        #expect(downloads.contents.count == 1)
        #expect(downloads.take(StoreKey("a")) == entry(3))
    }

    @Test func `the oldest go when there are too many, or they are too large together`() throws {
        let folder = CacheFolder()
        let few = PartialDownloads(in: folder.path, countLimit: 3)
        for number in 1...5 as ClosedRange<UInt8> { few.keep(entry(number), for: StoreKey("\(number)")) }
        #expect((1...5).map { few.look(StoreKey("\($0)")) != nil } == [false, false, true, true, true])
        let small = PartialDownloads(in: folder.path, byteLimit: ByteCount(Self.size * 5 / 2))
        small.keep(entry(6), for: StoreKey("6"))
        #expect((3...6).map { small.look(StoreKey("\($0)")) != nil } == [false, false, true, true])
        #expect(small.contents.bytes <= small.byteLimit)
    }

    @Test(arguments: [(size - 1, false), (size, true), (4 * size, true), (4 * size + 1, false)])
    func `what is too short or too long is not kept`(count: Int, isKept: Bool) throws {
        let folder = CacheFolder()
        let downloads = PartialDownloads(in: folder.path, byteLimit: ByteCount(4 * Self.size + 1000))
        let tight = PartialDownloads(in: folder.path, byteLimit: ByteCount(4 * Self.size))
        tight.keep(entry(1, count), for: StoreKey("a"))
        // A file has a head too, so the longest beginning does not fit by itself.
        #expect((downloads.look(StoreKey("a")) != nil) == (isKept && count < 4 * Self.size))
    }

    @Test(arguments: ["cut", "longer", "empty", "first", "version", "middle", "last"])
    func `a damaged file is removed and means nothing`(kind: String) throws {
        let folder = CacheFolder()
        let downloads = PartialDownloads(in: folder.path)
        downloads.keep(entry(1), for: StoreKey("a"))
        try folder.damage { bytes in
            switch kind {
            case "cut": bytes.removeLast(100)
            case "longer": bytes.append(0)
            case "empty": bytes = Data()
            case "first": bytes[0] ^= 1
            case "version": bytes[4] += 1
            case "middle": bytes[Self.size / 2] ^= 0x10
            default: bytes[bytes.count - 1] ^= 1
            }
        }
        #expect(downloads.take(StoreKey("a")) == nil)
        #expect(try folder.names.isEmpty)
        downloads.keep(entry(2), for: StoreKey("a"))
        #expect(downloads.take(StoreKey("a")) == entry(2))
    }

    @Test func `a file under another's name is not taken for it`() throws {
        let folder = CacheFolder()
        let downloads = PartialDownloads(in: folder.path)
        downloads.keep(entry(1), for: StoreKey("a"))
        let old = try #require(try folder.names.first)
        downloads.keep(entry(2), for: StoreKey("b"))
        let new = try #require(try folder.names.first { $0 != old })
        unsafe rename("\(folder.path)/partial/\(old)", "\(folder.path)/partial/\(new)")
        #expect(downloads.look(StoreKey("b")) == nil)
        #expect(try folder.names.isEmpty)
    }

    @Test func `a folder that cannot be used keeps nothing, one that is gone comes again`() throws {
        let folder = CacheFolder()
        try Data([1]).write(to: URL(filePath: folder.path))
        let downloads = PartialDownloads(in: folder.path)
        downloads.keep(entry(1), for: StoreKey("a"))
        #expect(downloads.take(StoreKey("a")) == nil)
        #expect(downloads.contents.count == 0)
        downloads.removeAll()
        try FileManager.default.removeItem(atPath: folder.path)
        downloads.keep(entry(1), for: StoreKey("a"))
        #expect(downloads.take(StoreKey("a")) == entry(1))
    }

    @Test func `what killed processes left goes after an hour, and what is none of ours stays`() throws {
        let folder = CacheFolder()
        let downloads = PartialDownloads(in: folder.path, countLimit: 1)
        downloads.keep(entry(1), for: StoreKey("a"))
        for (name, age) in [(".1.1.part", 4000), (".2.1.part", 60), ("other.txt", 9999)] {
            let path = "\(folder.path)/partial/\(name)"
            try Data([1]).write(to: URL(filePath: path))
            let then = timespec(tv_sec: time(nil) - age, tv_nsec: 0)
            unsafe utimensat(AT_FDCWD, path, [then, then], 0)
        }
        downloads.keep(entry(2), for: StoreKey("b"))
        #expect(try folder.names.filter { $0.utf8.count < 20 } == [".2.1.part", "other.txt"])
        #expect(downloads.contents.count == 1)
        downloads.removeAll()
        #expect(try folder.names == ["other.txt"])
    }
}
