import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeServer

/// A store in memory that counts the calls for each key.
private final class CountingStore: EntryStoring {
    private let entries = Guarded<[StoreKey: StoredEntry]>([:])
    let reads = Guarded<[StoreKey: Int]>([:])
    let stores = Guarded<[StoreKey: Int]>([:])
    let inserts = Guarded<[StoreKey: Int]>([:])

    func value(for key: StoreKey) -> StoredEntry? {
        reads.withLock { $0[key, default: 0] += 1 }
        return entries.withLock { $0[key] }
    }

    func store(_ entry: StoredEntry, for key: StoreKey) -> StoredEntry {
        stores.withLock { $0[key, default: 0] += 1 }
        return put(entry, key)
    }

    func insert(_ entry: StoredEntry, for key: StoreKey) {
        inserts.withLock { $0[key, default: 0] += 1 }
        _ = put(entry, key)
    }

    func replaceValue(_ entry: StoredEntry, for key: StoreKey) { entries.withLock { $0[key] = entry } }
    func removeValue(for key: StoreKey) { entries.withLock { $0[key] = nil } }
    func removeAll() { entries.withLock { $0 = [:] } }

    private func put(_ entry: StoredEntry, _ key: StoreKey) -> StoredEntry {
        entries.withLock { entries in
            entries[key] = entries[key] ?? entry
            return entries[key] ?? entry
        }
    }
}

/// A picture that no cache has is looked up once in each.
@Suite(.timeLimit(.minutes(1)))
struct LookUpCountTests {
    private let store = CountingStore()

    private func withServer(
        memory: MemoryCacheLimits = MemoryCacheLimits(),
        _ body: (ServerRig) async throws -> Void
    ) async throws {
        try await ServerRig.open {
            $0.pipeline.memoryCache = memory
            $0.pipeline.store = store
        } _: { rig in
            rig.origin.answer { _ in
                ScriptedResponse(headers: ["Cache-Control": "max-age=60"], body: [.bytes(ServerRig.photo)])
            }
            try await body(rig)
        }
    }

    /// Asks as the listener does.
    private func status(_ rig: ServerRig, _ target: String) async -> Int {
        await rig.server.firstAnswer(to: ServerRig.request(target)).response().status
    }

    @Test(arguments: [MemoryCacheLimits.none, MemoryCacheLimits()])
    func `a picture that is made was looked up once, and is inserted without another look-up`(
        _ memory: MemoryCacheLimits
    ) async throws {
        try await withServer(memory: memory) { rig in
            let paths = [ServerRig.path(), ServerRig.path("rs:fit:16:16"), ServerRig.path(ending: "@png")]
            for path in paths { #expect(await status(rig, path) == 200) }
            await rig.server.pipeline.flushStore()
            for counts in [store.reads, store.inserts] {
                let pictures = counts.withLock { $0.filter { !$0.key.text.hasPrefix("6:source") } }
                #expect(pictures.values.sorted() == [1, 1, 1])
            }
            #expect(store.stores.withLock(\.isEmpty))
        }
    }

    @Test func `memory is looked up once`() async throws {
        try await withServer { rig in
            #expect(await status(rig, ServerRig.path()) == 200)
            let memory = rig.server.pipeline.memoryCache
            #expect(memory.misses == 1 && memory.hits == 0)
            #expect(await status(rig, ServerRig.path()) == 200)
            #expect(rig.server.pipeline.memoryCache.hits == 1)
        }
    }
}
