import CalotypeCore
import CalotypeFiles
import CalotypeOrigin
import CalotypePlatform
import CalotypeSQLite
import CalotypeTestKit
import FoundationEssentials
import TaskFlow
import Testing

@testable import CalotypePublish

/// The journal's disk fills while a post is on its way.
@Suite(.timeLimit(.minutes(1))) struct JournalRoomTests {
    /// How many bytes the disk has set aside for publications in the journal of `folder`.
    private static func room(in folder: String) -> Int {
        let files = "\(folder)/journal/publish/files"
        return FolderNames.all(in: files).reduce(0) { sum, name in
            var status = stat()
            guard unsafe stat("\(files)/\(name)/room", &status) == 0 else { return sum }
            return sum + Int(status.st_blocks) * 512
        }
    }

    @Test func `room is set aside while a post is sent, and given back before it is written down`()
        async throws
    {
        let (folder, rooms) = (Guarded(""), Recorder<Int>())
        try await withPublishing { configuration in
            configuration.onJournal = { moment in
                guard moment == JournalMoment(step: .posted, isDone: false) else { return }
                rooms.record(Self.room(in: folder.withLock(\.self)))
            }
        } _: { publishing in
            folder.withLock { $0 = publishing.folder }
            let destination = ScriptedDestination(onPublish: { _, _, attempt in
                rooms.record(Self.room(in: publishing.folder))
                if attempt == 1 { throw ScriptedDestination.failure(.settle) }
            })
            _ = try await publishing.publisher.publish(publishing.post(), to: destination)
            #expect(rooms.values.count == 3)
            #expect(rooms.values.dropLast().allSatisfy { $0 >= 256 << 10 } && rooms.values.last == 0)
            #expect(FolderNames.all(in: "\(publishing.publisher.journal.folder)/files") == [])
        }
    }

    @Test func `a failed post leaves no room set aside`() async throws {
        try await withPublishing { publishing in
            let failing = ScriptedDestination(onPublish: { _, _, _ in
                throw ScriptedDestination.failure(.none)
            })
            _ = await code { try await publishing.publisher.publish(try publishing.post(), to: failing) }
            #expect(Self.room(in: publishing.folder) == 0)
        }
    }

    @Test func `without room a post is not sent`() async throws {
        try await withPublishing { publishing in
            // Nothing can be put where there is no folder.
            let path = "\(publishing.publisher.journal.folder)/files"
            try Data([0]).write(to: URL(filePath: path))
            let destination = ScriptedDestination()
            let post = try publishing.post()
            let publisher = publishing.publisher
            let failed = await code { try await publisher.publish(post, to: destination) }
            #expect(failed == .storageFailed)
            #expect(destination.drafts.count == 0)
            let record = try await publishing.record()
            #expect(record?.state == .failed && record?.isUnfinished == true)
            try FileManager.default.removeItem(atPath: path)
            _ = try await publisher.publish(post, to: destination, .resume)
            #expect(destination.uploads.count == 3 && destination.drafts.count == 1)
        }
    }

    @Test func `a post that is published but cannot be recorded is reported as such`() async throws {
        let folder = Guarded("")
        try await withPublishing { configuration in
            configuration.onJournal = { moment in
                guard moment == JournalMoment(step: .posted, isDone: false) else { return }
                // As good as a disk that fails from here on.
                let path = "\(folder.withLock(\.self))/journal/publish/journal.sqlite"
                try? SQLiteConnection(path: path).execute("DROP TABLE item; DROP TABLE publication")
            }
        } _: { publishing in
            folder.withLock { $0 = publishing.folder }
            let progress = PublishProgress(interval: .zero)
            let destination = try publishing.inbox()
            let error = await #expect(throws: CalotypeError.self) {
                try await publishing.publisher.publish(publishing.post(), to: destination, progress: progress)
            }
            let post = try #require(publishing.origin.received.posts.first)
            #expect(error?.code == .publishedNotRecorded)
            #expect(error?.url == publishing.origin.url("/posts/\(post.id)"))
            #expect(progress.current.stage == .posted)
        }
    }
}
