import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

/// What becomes of a medium that is not wanted any more.
@Suite(.timeLimit(.minutes(1))) struct WordPressDiscardTests {
    private let upload = "POST wp/v2/media"

    /// Cancels an upload when all is sent, and returns what was remembered of it.
    private func cancelledUpload(_ site: ScriptedSite, _ folder: String) async throws -> RememberedState {
        site.fail(upload, .refused(.never))
        let log = SessionLog(site.client(now: { WallTime(secondsSince1970: 1_800_000_000) }))
        let medium = try sampleMedium(1000, in: folder)
        let task = Task { try await site.destination.upload(medium, log.upload()) }
        // The whole file is there by then.
        try await site.called.wait(count: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        return log.state
    }

    @Test func `a medium that is stored after its upload was cancelled is awaited, and removed`()
        async throws
    {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            let state = try await cancelledUpload(site, folder)
            let clock = ManualClock()
            let client = site.client(now: { WallTime(secondsSince1970: 1_800_000_001) }, clock: clock)
            async let discarded = site.destination.discard(state, nil, client)
            try await clock.waitForSleepers(1)
            // Now it arrives.
            _ = try await site.destination.upload(
                try sampleMedium(1000, in: folder),
                SessionLog(site.client).upload()
            )
            clock.advance(by: .milliseconds(250))
            #expect(try await discarded == .removed)
            #expect(site.contents.media.isEmpty)
        }
    }

    @Test func `a medium that may still come is looked for again later`() async throws {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            let state = try await cancelledUpload(site, folder)
            let clock = ManualClock()
            let client = site.client(now: { WallTime(secondsSince1970: 1_800_000_001) }, clock: clock)
            async let failure = publishFailure { try await site.destination.discard(state, nil, client) }
            for _ in 0..<5 {
                try await clock.waitForSleepers(1)
                _ = clock.advanceToNextSleeper()
            }
            #expect(await failure?.remedy == .retry)
            let later = site.client(now: { WallTime(secondsSince1970: 1_800_000_060) }, clock: clock)
            try await site.destination.discard(state, nil, later)
        }
    }

    /// Returns what the journal knows of an upload whose process is killed while the site has the file.
    private func killedUpload(_ site: ScriptedSite, _ folder: String) async throws -> RememberedState {
        site.fail(upload, .refused(.never))
        let log = SessionLog(site.client)
        let medium = try sampleMedium(1000, in: folder)
        let task = Task { try await site.destination.upload(medium, log.upload()) }
        try await site.called.wait(count: 1)
        let state = log.state
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        return state
    }

    @Test func `a medium that is stored after its process was killed is awaited, and removed`() async throws {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            let state = try await killedUpload(site, folder)
            let clock = ManualClock()
            let client = site.client(clock: clock)
            async let discarded = site.destination.discard(state, nil, client)
            try await clock.waitForSleepers(1)
            _ = try await site.destination.upload(
                try sampleMedium(1000, in: folder),
                SessionLog(site.client).upload()
            )
            clock.advance(by: .milliseconds(250))
            #expect(try await discarded == .removed)
            #expect(site.contents.media.isEmpty)
        }
    }

    @Test func `a medium that a killed process had not sent in full is awaited for some seconds only`()
        async throws
    {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            let state = try await killedUpload(site, folder)
            let clock = ManualClock()
            let client = site.client(clock: clock)
            async let discarded = site.destination.discard(state, nil, client)
            for _ in 0..<5 {
                try await clock.waitForSleepers(1)
                _ = clock.advanceToNextSleeper()
            }
            #expect(try await discarded == .removed)
        }
    }

    @Test func `an upload that the site refused leaves nothing to wait for`() async throws {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            site.fail(upload, .refused(.status(413)))
            let log = SessionLog(site.client)
            _ = try? await site.destination.upload(try sampleMedium(1000, in: folder), log.upload())
            // Its clock stands still: a pause would not end.
            let client = site.client(clock: ManualClock())
            let discarded = try await site.destination.discard(log.state, nil, client)
            #expect(discarded == .removed)
        }
    }

    @Test func `what an upload left is removed, whatever was remembered of it`() async throws {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            for isLost in [false, true] {
                let log = SessionLog(site.client)
                if isLost { site.fail(upload, .lostAnswer) }
                let medium = try sampleMedium(1000, in: folder)
                let uploaded = try? await site.destination.upload(medium, log.upload())
                #expect(site.contents.media.count == 1)
                try await site.destination.discard(log.state, nil, site.client)
                #expect(site.contents.media.isEmpty)
                let later = site.client(now: { .now() + .seconds(3600) })
                try await site.destination.discard(log.state, uploaded, later)
                try await site.destination.discard(.none, uploaded, later)
            }
            try await site.destination.discard(.none, nil, site.client)
        }
    }

    @Test func `an upload is removed that the site carries out after it was given up`() async throws {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            let log = SessionLog(site.client)
            site.fail(upload, .lostAnswer)
            _ = try? await site.destination.upload(try sampleMedium(1000, in: folder), log.upload())
            // At the first look the site has not got as far.
            site.fail("GET wp/v2/media", .refused(.bytes(Array("[]".utf8))))
            let clock = ManualClock()
            let client = PublishClient(HTTPClient(site.transport), clock: clock)
            let state = log.state
            async let discarded = site.destination.discard(state, nil, client)
            try await clock.waitForSleepers(1)
            #expect(site.contents.media.count == 1)
            clock.advance(by: .milliseconds(250))
            #expect(try await discarded == .removed)
            #expect(site.contents.media.isEmpty)
        }
    }
}
