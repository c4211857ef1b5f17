import CalotypeCore
import CalotypeStore
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DiskCacheFolderTests {
    private let scratch = CacheScratch()
    private let key = StoreKey("a")
    private let large = StoredEntry.sample(1, bytes: 50_000)

    // MARK: Other versions

    @Test func `a newer version's cache is left as it is`() async throws {
        try await scratch.withCache { cache in
            try await cache.store(large, for: key)
            try await cache.flush()
        }
        try setVersion(2)
        let (names, index) = try (scratch.names(), scratch.read("index.db"))
        try await scratch.withCache { cache in
            #expect(cache.snapshot.isNewer && !cache.takesEntries)
            let found = try await cache.value(for: key)
            #expect(found == nil)
            cache.removeAll()
            try await cache.store(.sample(2), for: .number(2))
        }
        #expect(scratch.notices.values.count == 1)
        #expect(scratch.notices.values.allSatisfy { $0.contains("newer version of Calotype") })
        #expect(try scratch.names() == names && scratch.read("index.db") == index)
        try setVersion(1)
        try await scratch.withCache { cache in
            let found = try await cache.value(for: key)
            #expect(found == large && !cache.snapshot.isNewer)
        }
    }

    /// Writes the version of the tables where SQLite's file has it.
    private func setVersion(_ version: UInt32) throws {
        var head = Array(try scratch.read("index.db").prefix(64))
        for byte in 0..<4 { head[60 + byte] = UInt8(truncatingIfNeeded: version >> (24 - 8 * UInt32(byte))) }
        try scratch.overwrite(head, "index.db")
    }

    // MARK: Deleted while it is used

    @Test func `a folder deleted while it is used is created again`() async throws {
        try await scratch.withCache { cache in
            try await cache.store(large, for: key)
            try await cache.flush()
            try scratch.remove("")
            let lost = try await cache.value(for: key)
            #expect(lost == nil)
            try await cache.store(.sample(2), for: .number(2))
            try await cache.store(.sample(3, bytes: 50_000), for: .number(3))
            try await cache.flush()
            #expect(scratch.exists("index.db") && scratch.valueFiles().count == 1)
            #expect(cache.snapshot.entries == 2)
            #expect(scratch.notices.count == 1)
        }
        try await scratch.withCache { cache in
            let second = try await cache.value(for: .number(2))
            let third = try await cache.value(for: .number(3))
            #expect(second == .sample(2) && third == .sample(3, bytes: 50_000))
        }
    }

    @Test func `the folder of the value files is created again`() async throws {
        try await scratch.withCache { cache in
            try await cache.store(large, for: key)
            try await cache.flush()
            try scratch.remove("blobs")
            let lost = try await cache.value(for: key)
            #expect(lost == nil)
            try await cache.store(large, for: .number(2))
            try await cache.flush()
            let found = try await cache.value(for: .number(2))
            #expect(found == large)
            #expect(cache.snapshot.quarantined == 1)
        }
    }

    @Test func `a cache that another one made in place of the deleted one is not touched`() async throws {
        // On a clock that stands still the first one finds out when it is to write.
        try await scratch.withCache(clock: ManualClock()) { first in
            try await first.store(.sample(1), for: key)
            try await first.flush()
            try scratch.remove("")
            try await scratch.withCache { second in
                try await second.store(.sample(2), for: .number(2))
                try await second.flush()
                // Finds out, lets go of what it had, and only reads now.
                try await first.store(.sample(3), for: .number(3))
                try await first.flush()
                try await second.flush()
                #expect(first.snapshot.access == .reader)
                #expect(scratch.size(of: "index.db-wal") > 0)
                let seen = try await first.value(for: .number(2))
                #expect(seen == .sample(2))
                let report = try await second.verify()
                #expect(report.isSound && report.checked == 1)
            }
        }
        try await scratch.withCache { cache in
            let found = try await cache.value(for: .number(2))
            #expect(found == .sample(2))
        }
    }

    // MARK: Of no use

    @Test func `a folder that cannot be created means no cache, reported once`() async throws {
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: scratch.folder))
        let clock = ManualClock()
        try await scratch.withCache(clock: clock) { cache in
            guard case .unusable = cache.snapshot.access else {
                Issue.record("\(cache.snapshot.access)")
                return
            }
            for _ in 0..<3 {
                let stored = try await cache.store(large, for: key)
                #expect(stored == large)
                let found = try await cache.value(for: key)
                #expect(found == nil)
                try await cache.flush()
            }
            #expect(scratch.notices.count == 1)
            #expect(cache.snapshot.dropped == 3)
            try await clock.waitForSleeper(wakingIn: .seconds(30))
            clock.advance(by: .seconds(29))
            try await cache.flush()
            // After 30 seconds it is tried again.
            try FileManager.default.removeItem(atPath: scratch.folder)
            try await clock.waitForSleeper(wakingIn: .seconds(1))
            clock.advance(by: .seconds(1))
            try await until { cache.snapshot.access == .owner }
            try await cache.store(large, for: key)
            try await cache.flush()
            let found = try await cache.value(for: key)
            #expect(found == large)
        }
    }

    @Test
    func `a value that cannot be written is dropped and reported once, and writing is retried after 30 s`()
        async throws
    {
        let clock = ManualClock()
        try await scratch.withCache(clock: clock) { cache in
            try await cache.store(large, for: .number(1))
            try await cache.flush()
            try scratch.remove("blobs")
            try scratch.write([1], to: "blobs")
            for number in 2..<6 {
                try await cache.store(large, for: .number(number))
                try await cache.flush()
                let found = try await cache.value(for: .number(number))
                #expect(found == nil)
            }
            #expect(scratch.notices.values.count { $0.contains("stores nothing at the moment") } == 1)
            #expect(cache.snapshot.dropped == 4 && cache.snapshot.stagedBytes == ByteCount(0))
            // What must not be found is kept in mind meanwhile.
            cache.removeValue(for: .number(1))
            let removed = try await cache.value(for: .number(1))
            #expect(removed == nil)

            try scratch.remove("blobs")
            try await clock.waitForSleeper(wakingIn: .seconds(30))
            clock.advance(by: .seconds(30))
            try await until { cache.snapshot.stagedBytes == ByteCount(0) }
            try await cache.store(large, for: .number(7))
            try await cache.flush()
            let found = try await cache.value(for: .number(7))
            #expect(found == large)
            #expect(cache.snapshot.entries == 1)
        }
    }

    // MARK: Two at a time

    @Test func `a second cache on the folder reads, stores nothing and says so once`() async throws {
        try await scratch.withCache { owner in
            try await owner.store(large, for: key)
            try await owner.flush()
            let other = CacheScratch()
            var configuration = scratch.configuration()
            configuration.onNotice = { other.notices.record($0) }
            #expect(DiskCache.state(of: scratch.folder) == .owned)
            try await withDiskCache(configuration) { second in
                #expect(second.snapshot.access == .reader)
                #expect(second.snapshot.entries == 1)
                let found = try await second.value(for: key)
                #expect(found == large)
                try await second.store(.sample(2), for: .number(2))
                second.removeValue(for: key)
                second.removeAll()
                try await second.trim(to: ByteCount(0))
                try await second.flush()
                let missing = try await second.value(for: .number(2))
                #expect(missing == nil)
                // What the owner stores later is seen.
                try await owner.store(.sample(3), for: .number(3))
                try await owner.flush()
                let later = try await second.value(for: .number(3))
                #expect(later == .sample(3))
            }
            #expect(other.notices.count == 1)
            let kept = try await owner.value(for: key)
            #expect(kept == large)
            let report = try await owner.verify()
            #expect(report.isSound && report.checked == 2)
        }
        #expect(DiskCache.state(of: scratch.folder) == .free)
        #expect(scratch.notices.values == [])
    }

    @Test func `looking at a folder keeps nobody from becoming its owner`() async throws {
        try await scratch.withCache { try await $0.store(large, for: key) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { while !Task.isCancelled { _ = DiskCache.state(of: scratch.folder) } }
            for _ in 0..<40 {
                try await withDiskCache(scratch.configuration()) { #expect($0.snapshot.access == .owner) }
            }
            group.cancelAll()
        }
    }

    @Test func `a reader takes the place of an owner that has gone`() async throws {
        let clock = ManualClock()
        let (isReady, mayGo) = (Event(), Event())
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await scratch.withCache { owner in
                    isReady.signal()
                    try await mayGo.wait()
                }
            }
            try await isReady.wait()
            try await scratch.withCache(clock: clock) { cache in
                #expect(cache.snapshot.access == .reader)
                mayGo.signal()
                try await group.next()
                try await clock.waitForSleeper(wakingIn: .seconds(30))
                clock.advance(by: .seconds(30))
                try await until { cache.snapshot.access == .owner }
                try await cache.store(large, for: key)
                try await cache.flush()
                #expect(cache.snapshot.entries == 1)
            }
        }
    }

    @Test func `another process on the folder only reads`() async throws {
        let folder = scratch.folder
        try await scratch.withCache { owner in
            try await owner.store(large, for: key)
            try await owner.flush()
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                try await withDiskCache(DiskCacheConfiguration(folder: folder)) { cache in
                    #expect(cache.snapshot.access == .reader)
                    let found = try await cache.value(for: StoreKey("a"))
                    #expect(found == .sample(1, bytes: 50_000))
                    try await cache.store(.sample(2), for: .number(2))
                    cache.removeAll()
                    try await cache.flush()
                }
            }
            let report = try await owner.verify()
            #expect(report.isSound && report.checked == 1)
        }
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            #expect(DiskCache.state(of: folder) == .free)
        }
    }

    @Test func `a cache that shall only read makes nothing`() async throws {
        var configuration = scratch.configuration()
        configuration.isReadOnly = true
        try await withDiskCache(configuration) { cache in
            let found = try await cache.value(for: key)
            #expect(found == nil)
        }
        #expect(DiskCache.state(of: scratch.folder) == .missing)
        #expect(!FileManager.default.fileExists(atPath: scratch.folder))
        try await scratch.withCache { try await $0.store(large, for: key) }
        try await withDiskCache(configuration) { cache in
            let found = try await cache.value(for: key)
            #expect(found == large)
            #expect(cache.snapshot.access == .reader)
        }
    }
}
