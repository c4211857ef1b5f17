import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeStore
import CalotypeTestKit
import FoundationEssentials
import TaskFlow
import Testing

@testable import CalotypeServer

/// Pictures that the store has are answered without a load.
@Suite(.timeLimit(.minutes(1)))
struct StoredPictureTests {
    private let time = Guarded(WallTime(secondsSince1970: ServerRig.now))

    /// Runs `body` with a server that has a disk cache and no memory, and the answer that is in the cache.
    private func withStored(
        _ body: (ServerRig, DiskCache, OutgoingResponse) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/calotype-stored-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withDiskCache(DiskCacheConfiguration(folder: folder)) { cache in
            try await ServerRig.open {
                $0.pipeline.memoryCache = .none
                $0.pipeline.store = cache
                $0.pipeline.wallClock = { [time] in time.withLock { $0 } }
            } _: { rig in
                rig.origin.answer { _ in
                    let fields: KeyValuePairs = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
                    return ScriptedResponse(headers: fields, body: [.bytes(ServerRig.photo)])
                }
                let made = await rig.get(ServerRig.path())
                #expect(made.status == 200)
                while cache.snapshot.stagedBytes.bytes == 0, cache.snapshot.stores == 0 { await Task.yield() }
                try await cache.flush()
                try await body(rig, cache, made)
            }
        }
    }

    @Test func `a picture from the store is served like one that was just created`() async throws {
        try await withStored { rig, _, made in
            let stored = try #require(await rig.planned(ServerRig.path()))
            #expect(stored.status == 200 && stored.bytes == made.bytes)
            for name in ["ETag", "Cache-Control", "Content-Type", "Content-Disposition"] {
                #expect(stored.headers[name] == made.headers[name])
            }
            #expect(stored.record?.cache == "hit" && stored.record?.unloaded == .store)
            #expect(rig.origin.statistics.requests == 1)
        }
    }

    @Test func `what it has not, or no longer as it is, is loaded`() async throws {
        try await withStored { rig, _, _ in
            let other = try #require(await rig.planned(ServerRig.path("rs:fit:16:16")))
            #expect(other.status == 200 && other.record?.unloaded == nil)
            time.withLock { $0 = $0 + .seconds(60) }
            let requests = rig.origin.statistics.requests
            let renewed = try #require(await rig.planned(ServerRig.path()))
            #expect(renewed.status == 200 && renewed.record?.unloaded == nil)
            #expect(rig.origin.statistics.requests == requests + 1)
        }
    }

    @Test func `a picture that was removed from the store is not served from it`() async throws {
        try await withStored { rig, cache, _ in
            cache.removeAll()
            let staged = await rig.planned(ServerRig.path())
            #expect(staged?.status == 200 && staged?.record?.unloaded == nil)
            // The picture that was made again is written in the background.
            await rig.server.pipeline.flushStore()
            cache.removeAll()
            try await cache.flush()
            let gone = await rig.planned(ServerRig.path())
            #expect(gone?.status == 200 && gone?.record?.unloaded == nil)
        }
    }

    @Test func `nothing is looked up for a client that has gone`() async throws {
        try await withStored { rig, cache, _ in
            let hits = cache.snapshot.hits
            let task = Task {
                // Cancelled before it begins.
                while !Task.isCancelled { await Task.yield() }
                return await rig.planned(ServerRig.path())
            }
            task.cancel()
            let gone = await task.value
            #expect(gone?.status == 499 && cache.snapshot.hits == hits)
        }
    }
}

extension ServerRig {
    /// The answer of the plan that begins with a look-up in the store.
    fileprivate func planned(_ target: String) async -> OutgoingResponse? {
        guard case .later(let plan) = server.firstAnswer(to: Self.request(target)) else {
            Issue.record("no plan for a picture that the store may have")
            return nil
        }
        return await plan()
    }
}
