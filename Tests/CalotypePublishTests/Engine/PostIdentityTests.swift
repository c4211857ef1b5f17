import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeSQLite
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypePublish

/// A post is known by its content, wherever its files are and however its server is spelled.
@Suite(.timeLimit(.minutes(1))) struct PostIdentityTests {
    /// A folder that leads to the one of the test.
    private func link(_ publishing: Publishing) throws -> String {
        let path = "\(publishing.folder)/link"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: publishing.folder)
        return path
    }

    /// A post with one picture, and one with a picture that stands for it.
    private func post(_ path: String, thumbnail: String) -> Post {
        var film = Media.file(path, altText: "A film")
        film.thumbnail = .file(path: thumbnail)
        return Post("Hello", media: [.file(path), film])
    }

    @Test func `a post whose response was lost is not sent again from another path`() async throws {
        try await withPublishing { publishing in
            let publisher = publishing.publisher
            let (path, thumbnail) = (try publishing.picture(0), try publishing.picture(1))
            let lost = try publishing.inbox(posts: "lost-answer", settling: .ask)
            let failed = await code {
                try await publisher.publish(post(path, thumbnail: thumbnail), to: lost)
            }
            #expect(failed == .outcomeUnknown)
            let link = try link(publishing)
            try FileManager.default.copyItem(atPath: path, toPath: "\(publishing.folder)/copy")
            let spellings = [
                post("\(publishing.folder)/./picture-0.png", thumbnail: thumbnail),
                post("\(link)/picture-0.png", thumbnail: "\(link)/picture-1.png"),
                post("\(publishing.folder)/copy", thumbnail: thumbnail),
            ]
            for spelling in spellings {
                let refused = await code { try await publisher.publish(spelling, to: lost) }
                #expect(refused == .publishUnfinished)
                let open = await code { try await publisher.publish(spelling, to: lost, .resume) }
                #expect(open == .outcomeUnknown)
            }
            let asked = try publishing.inbox(posts: "lost-answer", settling: .key)
            let found = try await publisher.publish(spellings[1], to: asked, .resume)
            #expect(publishing.origin.received.posts.map(\.id) == [found.id])
            let refused = await code { try await publisher.publish(spellings[2], to: asked) }
            #expect(refused == .alreadyPublished)
        }
    }

    @Test func `what readers would see otherwise is another post`() async throws {
        try await withPublishing { publishing in
            let first = post(try publishing.picture(0), thumbnail: try publishing.picture(1))
            var others = [Post](repeating: first, count: 9)
            others[0].text = "Hello!"
            others[1].visibility = .unlisted
            others[2].language = "en"
            others[3].schedule = WallTime(secondsSince1970: 4_000_000_000)
            others[4].media[0].altText = "A boat"
            others[5].media[0].focus = .init(x: 0, y: 0.5)
            others[6].media[0].source = .file(path: try publishing.picture(2))
            others[7].media[1].thumbnail = .file(path: try publishing.picture(2))
            others[8].contentWarning = "Boats"
            let destination = try publishing.inbox()
            for post in [first] + others {
                _ = try await publishing.publisher.publish(post, to: destination)
            }
            #expect(publishing.origin.received.posts.count == 10)
        }
    }

    @Test func `renditions of a file are known by its bytes, and those of bytes too`() async throws {
        try await withPublishing { publishing in
            let publisher = publishing.publisher
            let (path, link) = (try publishing.picture(0), try link(publishing))
            let post = { (source: ImageSource) in
                Post("", media: [Media(.rendition(ImageRequest(source, .fit(4, 4), .png)))])
            }
            let destination = ScriptedDestination()
            _ = try await publisher.publish(post(.file(path: path)), to: destination)
            let same = await code {
                try await publisher.publish(post(.file(path: "\(link)/picture-0.png")), to: destination)
            }
            #expect(same == .alreadyPublished)
            // Two pictures of as many bytes.
            for number in [1, 2] {
                let bytes = Array(try Data(contentsOf: URL(filePath: publishing.picture(number))))
                _ = try await publisher.publish(post(.bytes(bytes)), to: destination)
            }
            #expect(destination.drafts.count == 3)
        }
    }

    @Test func `what was never started is not resumed`() async throws {
        try await withPublishing { publishing in
            let destination = ScriptedDestination()
            let post = try publishing.post(pictures: 1)
            let publisher = publishing.publisher
            let failed = await code { try await publisher.publish(post, to: destination, .resume) }
            #expect(failed == .nothingToResume)
            #expect(destination.uploads.count == 0)
            let record = try await publishing.record()
            #expect(record == nil)
            let published = try await publisher.publish(post, to: destination, .resumeOrBegin)
            let resumed = try await publisher.publish(post, to: destination, .resumeOrBegin)
            #expect(published == resumed && destination.drafts.count == 1)
        }
    }

    @Test func `a started publication without media on the server is resumed`() async throws {
        try await withPublishing { publishing in
            let failing = ScriptedDestination(
                isForgetful: true,
                onUpload: { _, _, _ in throw ScriptedDestination.failure(.none) }
            )
            let post = try publishing.post(pictures: 1)
            _ = await code { try await publishing.publisher.publish(post, to: failing) }
            let published = try await publishing.publisher.publish(post, to: ScriptedDestination(), .resume)
            #expect(published.id == "p")
            let count = try await publishing.publisher.journal.publications().count
            #expect(count == 1)
        }
    }

    @Test func `posts in the journal of an earlier version are known`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.post(pictures: 2)
            var destination = ScriptedDestination()
            _ = try await publishing.publisher.publish(post, to: destination)
            destination.onUpload = { _, _, _ in throw ScriptedDestination.failure(.none) }
            _ = await code {
                try await publishing.publisher.publish(Post("Cut", media: post.media), to: destination)
            }
            try publishing.makeJournalEarlier()
            var configuration = PublisherConfiguration(journal: publishing.publisher.journal.folder)
            configuration.retry.baseDelay = .milliseconds(1)
            let later = ScriptedDestination()
            try await withPublisher(configuration, publishing.pipeline) { publisher in
                let refused = await code { try await publisher.publish(post, to: later) }
                #expect(refused == .alreadyPublished)
                _ = try await publisher.publish(Post("Cut", media: post.media), to: later, .resume)
                #expect(later.drafts.count == 1)
                let states = try await publisher.journal.publications().map(\.state)
                #expect(states == [.posted, .posted])
            }
        }
    }

    @Test(arguments: [
        ("tus+http://localhost:8080/files/", "tus+http://127.0.0.1:8080/files"),
        ("tus+http://[::1]:8080/files", "tus+http://localhost:8080//files/"),
        ("plain+https://h/in/", "plain+https://H:443/in"), ("plain+https://h/a%62/", "plain+https://h/ab/"),
        ("wordpress+https://h", "wordpress+https://h/"), ("s3+https://h/b/./x", "s3+https://h/b/y/../x"),
        ("mastodon+https://h/?a", "mastodon+https://h/?b"), ("scripted", "scripted"),
    ])
    func `a destination is known however it is spelled`(one: String, other: String) {
        #expect(DestinationIdentity.of(one) == DestinationIdentity.of(other))
    }

    @Test(arguments: [
        ("tus+https://h/files/", "plain+https://h/files/"), ("tus+https://h/a", "tus+https://h/A"),
        ("tus+https://h/a", "tus+http://h/a"), ("tus+https://h/a", "tus+https://h:444/a"),
        ("tus+https://h/a", "tus+https://i/a"), ("tus+http://127.0.0.1/a", "tus+http://127.0.0.2/a"),
        ("plain+https://h/a%2Fb", "plain+https://h/a/b"), ("scripted", "other"),
    ])
    func `another destination is another one`(one: String, other: String) {
        #expect(DestinationIdentity.of(one) != DestinationIdentity.of(other))
    }

    @Test func `where the post goes is a part of the destination`() throws {
        let media = try WebURL("https://h/files/")
        let tus = { (url: String) in
            TusDestination(endpoint: media, post: PlainPost(try WebURL(url))).identity
        }
        let plain = { (url: String) in
            PlainDestination(folder: media, post: PlainPost(try WebURL(url))).identity
        }
        for identity in [tus, plain] {
            #expect(try identity("https://h/posts/") == identity("https://h/posts"))
            #expect(try identity("https://h/posts") != identity("https://h/notes"))
        }
    }
}

extension Publishing {
    /// Brings the journal to how the first version wrote it.
    fileprivate func makeJournalEarlier() throws {
        let connection = try SQLiteConnection(path: "\(publisher.journal.folder)/journal.sqlite")
        try connection.execute("UPDATE publication SET fingerprint = 'paths ' || number")
        try connection.setUserVersion(1)
        try connection.close()
    }
}
