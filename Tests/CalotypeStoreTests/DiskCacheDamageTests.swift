import CalotypeCore
import CalotypeSQLite
import CalotypeStore
import CalotypeTestKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DiskCacheDamageTests {
    private let scratch = CacheScratch()
    private let key = StoreKey("a")
    private let large = StoredEntry.sample(1, bytes: 50_000)
    private let small = StoredEntry.sample(1, bytes: 5_000)

    // MARK: Value files

    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable ([UInt8]) -> [UInt8]?
    }

    private static let damages = [
        Damage(testDescription: "missing") { _ in nil },
        Damage(testDescription: "empty") { _ in [] },
        Damage(testDescription: "cut by one byte") { Array($0.dropLast()) },
        Damage(testDescription: "cut in the header") { Array($0.prefix(20)) },
        Damage(testDescription: "longer by one byte") { $0 + [0] },
        Damage(testDescription: "bit flipped in the header") { flipped($0, at: 10) },
        Damage(testDescription: "bit flipped in the metadata") { flipped($0, at: 70) },
        Damage(testDescription: "bit flipped in the value") { flipped($0, at: 30_000) },
        Damage(testDescription: "bit flipped in the checksum") { flipped($0, at: $0.count - 1) },
        Damage(testDescription: "zeroes") { Array(repeating: 0, count: $0.count) },
    ]

    private static func flipped(_ bytes: [UInt8], at place: Int) -> [UInt8] {
        var bytes = bytes
        bytes[place] ^= 4
        return bytes
    }

    @Test(arguments: damages)
    func `a damaged file is a miss; it is removed, reported once and replaced`(
        _ damage: Damage
    ) async throws {
        try await scratch.withCache { cache in
            try await cache.store(large, for: key)
            try await cache.store(.sample(2, bytes: 60_000), for: StoreKey("b"))
        }
        for name in scratch.valueFiles() {
            if let bytes = damage.change(try scratch.read(name)) {
                try scratch.write(bytes, to: name)
            } else {
                try scratch.remove(name)
            }
        }
        try await scratch.withCache { cache in
            for name in ["a", "b", "a"] {
                let found = try await cache.value(for: StoreKey(name))
                #expect(found == nil)
                try await cache.flush()
            }
            #expect(cache.snapshot.quarantined == 2)
            #expect(cache.snapshot.entries == 0 && cache.snapshot.bytes == ByteCount(0))
            #expect(scratch.valueFiles() == [])
            #expect(scratch.notices.count == 1)
            try await cache.store(large, for: key)
            try await cache.flush()
            let found = try await cache.value(for: key)
            #expect(found == large)
        }
    }

    @Test func `the file of another key is a miss, whatever it is called`() async throws {
        try await scratch.withCache { cache in
            try await cache.store(large, for: key)
            try await cache.flush()
            let mine = try #require(scratch.valueFiles().first)
            try await cache.store(.sample(2, bytes: 50_000), for: StoreKey("b"))
            try await cache.flush()
            let other = try #require(scratch.valueFiles().first { $0 != mine })
            try scratch.write(try scratch.read(other), to: mine)
            let found = try await cache.value(for: key)
            #expect(found == nil)
            let untouched = try await cache.value(for: StoreKey("b"))
            #expect(untouched == .sample(2, bytes: 50_000))
            try await cache.flush()
            #expect(cache.snapshot.quarantined == 1)
        }
    }

    @Test func `a link in the place of a file is not followed`() async throws {
        try await scratch.withCache { cache in
            try await cache.store(large, for: key)
            try await cache.flush()
            let file = try #require(scratch.valueFiles().first)
            try scratch.write(try scratch.read(file), to: "elsewhere")
            try scratch.remove(file)
            try FileManager.default.createSymbolicLink(
                atPath: "\(scratch.folder)/\(file)",
                withDestinationPath: "\(scratch.folder)/elsewhere"
            )
            let found = try await cache.value(for: key)
            #expect(found == nil)
            try await cache.flush()
            #expect(!scratch.exists(file) && scratch.exists("elsewhere"))
        }
    }

    // MARK: Values in the index

    @Test func `a flipped bit of a value in the index is a miss, never other bytes`() async throws {
        try await scratch.withCache { try await $0.store(small, for: key) }
        try flipInIndex(small.bytes.suffix(100))
        try await scratch.withCache { cache in
            let found = try await cache.value(for: key)
            #expect(found == nil)
            try await cache.flush()
            #expect(cache.snapshot.quarantined == 1 && cache.snapshot.entries == 0)
        }
        #expect(scratch.notices.count == 1)
    }

    @Test func `a flipped bit of the metadata is a miss, of a value in a file too`() async throws {
        for entry in [small, large] {
            try await scratch.withCache { cache in
                cache.removeAll()
                try await cache.store(entry, for: key)
            }
            try flipInIndex(entry.metadata[...])
            try await scratch.withCache { cache in
                let found = try await cache.value(for: key)
                #expect(found == nil)
            }
        }
    }

    private func flipInIndex(_ text: ArraySlice<UInt8>) throws {
        var bytes = try scratch.read("index.db")
        let starts = (0...(bytes.count - text.count)).filter {
            bytes[$0] == text.first && bytes[$0...].starts(with: text)
        }
        #expect(!starts.isEmpty)
        for start in starts { bytes[start + text.count / 2] ^= 1 }
        try scratch.write(bytes, to: "index.db")
    }

    // MARK: The index

    struct IndexDamage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var isUnclean = false
        let damage: @Sendable (CacheScratch) throws -> Void
    }

    private static let indexDamages = [
        IndexDamage(testDescription: "garbage") {
            try $0.write(Array("garbage ".utf8) + .init(repeating: 7, count: 40_000), to: "index.db")
        },
        IndexDamage(testDescription: "half a page") {
            try $0.write(Array(try $0.read("index.db").prefix(8000)), to: "index.db")
        },
        IndexDamage(testDescription: "one page") {
            try $0.write(Array(try $0.read("index.db").prefix(16_384)), to: "index.db")
        },
        IndexDamage(testDescription: "a version that makes no sense") { scratch in
            let connection = try SQLiteConnection(path: "\(scratch.folder)/index.db")
            try connection.setUserVersion(1 << 24)
        },
        IndexDamage(testDescription: "another program's tables") { scratch in
            try scratch.remove("index.db")
            let connection = try SQLiteConnection(path: "\(scratch.folder)/index.db")
            try connection.execute("CREATE TABLE entry(a); PRAGMA user_version = 1")
        },
        IndexDamage(testDescription: "log deleted after a crash", isUnclean: true) { scratch in
            try scratch.remove("index.db-wal")
        },
    ]

    @Test(arguments: indexDamages)
    func `a damaged index is renamed and rebuilt from the files`(
        _ damage: IndexDamage
    ) async throws {
        let entries = (0..<30).map { StoredEntry.sample($0, bytes: 20_000) }
        try await scratch.withCache { cache in
            for (number, entry) in entries.enumerated() { try await cache.store(entry, for: .number(number)) }
            try await cache.flush()
            if damage.isUnclean { try scratch.keepCopy() }
        }
        if damage.isUnclean { try scratch.restoreCopy() }
        try damage.damage(scratch)
        try await scratch.withCache { cache in
            // It serves at once, and more and more.
            try await cache.store(.sample(99), for: .number(99))
            let report = try await cache.verify()
            #expect(report.indexProblems == [])
            for (number, entry) in entries.enumerated() {
                let found = try await cache.value(for: .number(number))
                #expect(found == entry)
            }
            let new = try await cache.value(for: .number(99))
            #expect(new == .sample(99))
            #expect(cache.snapshot.recovered == 30 && cache.snapshot.entries == 31)
        }
        #expect(scratch.notices.count == 1)
        #expect(try scratch.names().filter { $0.hasPrefix("index.db.bad-") }.count == 1)
    }

    @Test func `numbers of the index that make no sense do no harm`() async throws {
        let changes = [
            "UPDATE total SET bytes = 9223372036854775807, count = -3",
            "UPDATE total SET bytes = -9223372036854775808",
            "UPDATE entry SET size = 9223372036854775807", "UPDATE entry SET seq = 9223372036854775807",
            "UPDATE entry SET segment = 7", "UPDATE entry SET generation = -1",
            "UPDATE state SET session = -5",
            "UPDATE state SET session = 9223372036854775807", "UPDATE state SET condition = 77",
            "DELETE FROM state",
            "DELETE FROM total", "UPDATE entry SET key = randomblob(3)",
            "UPDATE entry SET crc = 'text', metadata = 5",
        ]
        for change in changes {
            try await scratch.withCache { cache in
                cache.removeAll()
                try await cache.store(small, for: key)
                try await cache.store(large, for: StoreKey("b"))
            }
            let connection = try SQLiteConnection(path: "\(scratch.folder)/index.db")
            try connection.execute(change)
            try connection.close()
            try await scratch.withCache { cache in
                let first = try await cache.value(for: key)
                let second = try await cache.value(for: StoreKey("b"))
                #expect(first == nil || first == small, "\(change)")
                #expect(second == nil || second == large, "\(change)")
                cache.replaceValue(large, for: key)
                try await cache.store(small, for: .number(1))
                _ = try await cache.verify()
                try await cache.trim(to: ByteCount(0))
                try await cache.store(small, for: .number(2))
                try await cache.flush()
                let third = try await cache.value(for: .number(2))
                #expect(third == small, "\(change)")
            }
        }
    }

    @Test func `what is removed while the index is rebuilt does not come back`() async throws {
        try await scratch.withCache { cache in
            for number in 0..<50 {
                try await cache.store(.sample(number, bytes: 20_000), for: .number(number))
            }
        }
        try scratch.write([1, 2, 3], to: "index.db")
        // All files are compared only when the test asks for it: the clock stands still.
        try await scratch.withCache(clock: ManualClock()) { cache in
            cache.removeValue(for: .number(1))
            cache.replaceValue(.sample(7, bytes: 100), for: .number(2))
            try await cache.flush()
            #expect(cache.snapshot.isRepairing)
            _ = try await cache.verify()
            #expect(!cache.snapshot.isRepairing && cache.snapshot.recovered == 48)
            let removed = try await cache.value(for: .number(1))
            let replaced = try await cache.value(for: .number(2))
            let kept = try await cache.value(for: .number(3))
            #expect(removed == nil && replaced == .sample(7, bytes: 100) && kept == .sample(3, bytes: 20_000))
        }
    }

    @Test func `a cache that is never idle is repaired too`() async throws {
        try await scratch.withCache { cache in
            for number in 0..<50 {
                try await cache.store(.sample(number, bytes: 20_000), for: .number(number))
            }
        }
        try scratch.write([1, 2, 3], to: "index.db")
        // Nothing waits for a change: the clock stands still.
        try await scratch.withCache(clock: ManualClock()) { cache in
            for number in 0..<20 {
                try await cache.store(small, for: .number(1_000 + number))
                try await cache.flush()
            }
            #expect(!cache.snapshot.isRepairing && cache.snapshot.entries == 70)
        }
    }

    @Test func `of the indexes that were set aside only the latest stays`() async throws {
        for _ in 0..<3 {
            try await scratch.withCache { try await $0.store(small, for: key) }
            try scratch.write(Array(repeating: 9, count: 100), to: "index.db")
        }
        try await scratch.withCache { cache in
            let found = try await cache.value(for: key)
            #expect(found == nil)
        }
        #expect(try scratch.names().filter { $0.hasPrefix("index.db.bad-") }.count == 1)
    }

    @Test func `a stale shared-memory file does no harm`() async throws {
        try await scratch.withCache { try await $0.store(small, for: key) }
        try scratch.write((0..<32_768).map { UInt8(truncatingIfNeeded: $0) }, to: "index.db-shm")
        try await scratch.withCache { cache in
            let found = try await cache.value(for: key)
            #expect(found == small)
        }
        #expect(scratch.notices.values == [])
    }

    @Test func `an index damaged while it is used is replaced while it is used`() async throws {
        try await scratch.withCache { cache in
            for number in 0..<200 {
                try await cache.store(.sample(number, bytes: 15_000), for: .number(number))
            }
            try await cache.store(large, for: key)
            try await cache.flush()
        }
        try await scratch.withCache { cache in
            var bytes = try scratch.read("index.db")
            for place in bytes.indices.dropFirst(16_384) { bytes[place] = 0x55 }
            try scratch.overwrite(bytes, "index.db")
            for number in 0..<200 {
                let found = try await cache.value(for: .number(number))
                #expect(found == nil || found == .sample(number, bytes: 15_000))
            }
            _ = try await cache.verify()
            try await cache.store(.sample(2), for: StoreKey("b"))
            try await cache.flush()
            let stored = try await cache.value(for: StoreKey("b"))
            #expect(stored == .sample(2))
            let kept = try await cache.value(for: key)
            #expect(kept == large)
        }
    }

    // MARK: Crashes

    @Test func `after a crash values are there, files of nothing go`() async throws {
        try await scratch.withCache { cache in
            for number in 0..<10 {
                try await cache.store(.sample(number, bytes: 1000 + number * 5000), for: .number(number))
            }
            try await cache.flush()
            try scratch.keepCopy()
        }
        try scratch.restoreCopy()
        let file = try #require(scratch.valueFiles().first)
        try scratch.write([1, 2, 3], to: file + "7")
        try await scratch.withCache { cache in
            for number in 0..<10 {
                let found = try await cache.value(for: .number(number))
                #expect(found == .sample(number, bytes: 1000 + number * 5000))
            }
            let report = try await cache.verify()
            #expect(report.removed == 0)
            #expect(!scratch.exists(file + "7"))
            #expect(cache.snapshot.entries == 10)
        }
        #expect(scratch.notices.values == [])
    }

    /// As a kill leaves it between the commit of a replacement and the removal of the old file.
    @Test func `a file that a crash left never brings an older value back`() async throws {
        try await scratch.withCache { cache in
            try await cache.store(large, for: key)
            try await cache.flush()
            let file = try #require(scratch.valueFiles().first)
            let bytes = try scratch.read(file)
            cache.replaceValue(.sample(2, bytes: 60_000), for: key)
            try await cache.flush()
            try scratch.write(bytes, to: file)
            try scratch.keepCopy()
        }
        try scratch.restoreCopy()
        // The files are compared after the removal, never before it: the clock stands still.
        try await scratch.withCache(clock: ManualClock()) { cache in
            cache.removeValue(for: key)
            let report = try await cache.verify()
            #expect(scratch.valueFiles().isEmpty && report.recoveredFiles == 0)
            let isFound = try await cache.value(for: key) != nil
            #expect(!isFound)
        }
    }
}
