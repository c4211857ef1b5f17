import Calotype
import CalotypeCore
import CalotypeDigests
import CalotypeHTTP
import CalotypeOrigin
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct TusPublishTests {
    @Test func `media go up in pieces, each once, and the post names them in order`() async throws {
        try await withPublishing { publishing in
            let progress = PublishProgress(interval: .zero)
            async let told = progress.reduce(into: []) { $0.append($1) }
            let post = try publishing.noisyPost([5000, 1, 2500, 1000])
            let published = try await publishing.publisher.publish(
                post,
                to: publishing.tus(),
                progress: progress
            )
            let received = publishing.origin.received
            let isWhole = try publishing.hasExactly([5000, 1, 2500, 1000])
            #expect(isWhole)
            #expect(received.uploads.count == 4)
            let paths = published.media.map { $0.id.dropFirst(publishing.origin.url("").count) }
            let byPath = Dictionary(uniqueKeysWithValues: received.uploads.map { ($0.path[...], $0) })
            #expect(paths.map { byPath[$0]?.length } == [5000, 1, 2500, 1000])
            #expect(paths.map { byPath[$0]?.patches } == [5, 1, 3, 1])
            #expect(received.posts.count == 1)
            let states = await told
            #expect(states.last?.fraction == 1)
            #expect(zip(states, states.dropFirst()).allSatisfy { $0.acknowledged <= $1.acknowledged })
        }
    }

    @Test(arguments: [0, 10, 50, 99, 100])
    func `after a cut only what is missing is sent`(percent: Int) async throws {
        try await withPublishing { publishing in
            let fault = percent == 100 ? "lost-answer:3@PATCH" : "cut:\(percent):3@PATCH"
            let post = try publishing.noisyPost([50_000, 70_000])
            _ = try await publishing.publisher.publish(post, to: publishing.tus(fault, pieceBytes: 20_000))
            let isWhole = try publishing.hasExactly([50_000, 70_000])
            #expect(isWhole)
            let uploads = publishing.origin.received.uploads
            #expect(uploads.count == 2)
            #expect(uploads.allSatisfy { $0.bytesReceived <= $0.length + 3 * 20_000 && $0.conflicts == 0 })
            #expect(publishing.origin.received.posts.count == 1)
        }
    }

    @Test func `an upload whose creation had no response is created again, and sent once`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.noisyPost([100_000])
            _ = try await publishing.publisher.publish(post, to: publishing.tus("lost-answer@POST"))
            let uploads = publishing.origin.received.uploads
            #expect(uploads.map(\.bytesReceived) == [0, 100_000])
        }
    }

    @Test func `conflicts are settled within the attempt`() async throws {
        try await withPublishing { publishing in
            let progress = PublishProgress(interval: .zero)
            let post = try publishing.noisyPost([3000])
            let destination = try publishing.tus("409:3")
            _ = try await publishing.publisher.publish(post, to: destination, progress: progress)
            let upload = try #require(publishing.origin.received.uploads.first)
            #expect(upload.complete)
            #expect(upload.conflicts == 3)
            #expect(upload.heads == 3)
            #expect(progress.current.items.map(\.attempt) == [1])
        }
    }

    @Test func `an upload that is locked is waited for`() async throws {
        let clock = ManualClock()
        try await withPublishing {
            $0.clock = clock
        } _: { publishing in
            async let _: Void = clock.run()
            let post = try publishing.noisyPost([3000])
            let destination = try publishing.tus("locked:20")
            _ = try await publishing.publisher.publish(post, to: destination)
            let upload = try #require(publishing.origin.received.uploads.first)
            #expect(upload.complete)
            #expect(upload.bytesReceived == 3000)
            #expect(clock.now.offset > .seconds(60))
        }
    }

    @Test(arguments: ["expired", "gone"])
    func `what the server lost is sent again, and only that`(fault: String) async throws {
        try await withPublishing { publishing in
            let post = try publishing.noisyPost([3000, 4000, 5000])
            let destination = try publishing.tus(fault)
            _ = try await publishing.publisher.publish(post, to: destination)
            let uploads = publishing.origin.received.uploads
            #expect(uploads.count == 4)
            #expect(uploads.filter(\.expired).count == 1)
            let isWhole = try publishing.hasExactly([3000, 4000, 5000])
            #expect(isWhole)
            #expect(publishing.origin.received.posts.count == 1)
        }
    }

    @Test func `bytes that the server lost are reported as such, and sent again`() async throws {
        try await withPublishing { publishing in
            let progress = PublishProgress(interval: .zero)
            let post = try publishing.noisyPost([10_000])
            let destination = try publishing.tus("rewind:3")
            _ = try await publishing.publisher.publish(post, to: destination, progress: progress)
            let isWhole = try publishing.hasExactly([10_000])
            #expect(isWhole)
            #expect(publishing.origin.received.uploads.count == 1)
            #expect(progress.current.items.map { $0.rewinds > 0 } == [true])
            #expect(progress.current.fraction == 1)
        }
    }

    @Test func `an upload with more bytes than the file is restarted`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.noisyPost([3000])
            let destination = try publishing.tus("beyond:1")
            _ = try await publishing.publisher.publish(post, to: destination)
            let uploads = publishing.origin.received.uploads
            #expect(uploads.map(\.deleted) == [true, false])
            let isWhole = try publishing.hasExactly([3000])
            #expect(isWhole)
        }
    }

    @Test func `a server that has more than the file again and again is given up`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.noisyPost([3000])
            let destination = try publishing.tus("beyond")
            let code = await code { try await publishing.publisher.publish(post, to: destination) }
            #expect(code == .uploadLost)
            #expect(publishing.origin.received.uploads.allSatisfy { $0.deleted })
            #expect(publishing.origin.received.posts.isEmpty)
        }
    }

    @Test func `an upload at another host is refused, and gets no credentials`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.noisyPost([3000])
            let destination = try publishing.tus("other-host", authorization: Secret("Bearer secret"))
            let code = await code { try await publishing.publisher.publish(post, to: destination) }
            #expect(code == .invalidRedirect)
            let received = publishing.origin.received
            #expect(received.uploads.map(\.patches) == [0])
            #expect(received.uploads.map(\.withAuthorization) == [0])
            #expect(received.posts.isEmpty)
        }
    }

    @Test func `an upload's place may be a whole URL`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.noisyPost([3000])
            let destination = try publishing.tus("absolute", authorization: Secret("Bearer secret"))
            _ = try await publishing.publisher.publish(post, to: destination)
            let isWhole = try publishing.hasExactly([3000])
            #expect(isWhole)
            #expect(publishing.origin.received.uploads.map(\.withAuthorization) == [3])
        }
    }

    @Test func `an early refusal ends the sending`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.noisyPost([1_000_000])
            let destination = try publishing.tus("413@PATCH", pieceBytes: 1_000_000)
            let code = await code { try await publishing.publisher.publish(post, to: destination) }
            #expect(code == .http(status: 413))
            let received = publishing.origin.received
            #expect(received.posts.isEmpty)
            #expect(received.uploads.allSatisfy { $0.bytesReceived < 1_000_000 })
        }
    }

    @Test func `names are kept as they are`() async throws {
        try await withPublishing { publishing in
            var post = try publishing.noisyPost([10, 10, 10])
            post.media[0].name = "a \"quoted\", name; 🖼️.bin"
            post.media[1].name = "two\r\nUpload-Length: 7.bin"
            post.media[2].name = String(repeating: "ü", count: 150) + ".bin"
            _ = try await publishing.publisher.publish(post, to: publishing.tus())
            let names = publishing.origin.received.uploads.compactMap { $0.metadata["filename"] }
            #expect(names.count == 3)
            #expect(names.contains { $0.hasSuffix("-0-a \"quoted\", name; 🖼️.bin") })
            #expect(names.allSatisfy { $0.utf8.count <= 255 && !$0.contains("\n") })
            #expect(publishing.origin.received.uploads.allSatisfy { $0.metadata["filetype"] != nil })
            #expect(publishing.origin.received.uploads.allSatisfy { $0.length == 10 && $0.complete })
        }
    }

    @Test func `files with one base name stay separate on a server that uses the given names`()
        async throws
    {
        try await withPublishing { publishing in
            let bytes = [noise(3000), noise(4000, seed: 2)]
            let media = try ["a", "b"].enumerated().map { number, name in
                let folder = "\(publishing.folder)/\(name)"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
                try Data(bytes[number]).write(to: URL(filePath: "\(folder)/IMG_1.bin"))
                return Media.file("\(folder)/IMG_1.bin")
            }
            let published = try await publishing.publisher.publish(
                Post("Hello", media: media),
                to: publishing.tus()
            )
            var shelf: [String: String] = [:]
            for upload in publishing.origin.received.uploads {
                shelf[try #require(upload.metadata["filename"])] = upload.path
            }
            #expect(shelf.count == 2)
            #expect(shelf.keys.allSatisfy { $0.hasSuffix("-IMG_1.bin") })
            let paths = published.media.map { String($0.id.dropFirst(publishing.origin.url("").count)) }
            #expect(Set(paths) == Set(shelf.values))
        }
    }

    @Test func `a cancel removes what is at the server`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.noisyPost([3000, 4000])
            let destination = try publishing.tus("stall:9@PATCH")
            let progress = PublishProgress(interval: .zero)
            let task = Task {
                try await publishing.publisher.publish(post, to: destination, progress: progress)
            }
            for await state in progress where state.items.count(where: { $0.sent.bytes > 0 }) == 2 { break }
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
            let received = publishing.origin.received
            #expect(received.uploads.map(\.deleted) == [true, true])
            #expect(received.posts.isEmpty)
        }
    }

    @Test func `what the server takes at most is known before anything is sent`() async throws {
        try await withPublishing { publishing in
            let client = PublishClient(publishing.pipeline.client)
            let limits = try await publishing.tus().limits(client)
            #expect(limits.fileBytes == .mebibytes(1024))
        }
    }
}

extension Publishing {
    /// A post with files of these lengths that are no pictures.
    fileprivate func noisyPost(_ lengths: [Int]) throws -> Post {
        let media = try lengths.enumerated().map { number, length in
            let path = "\(folder)/noise-\(number).bin"
            try Data(noise(length, seed: UInt64(number + 1))).write(to: URL(filePath: path))
            return Media.file(path)
        }
        return Post("Hello", media: media)
    }

    /// The origin's tus endpoint as a destination, with what goes wrong there.
    fileprivate func tus(
        _ fault: String? = nil,
        pieceBytes: Int = 1000,
        authorization: Secret? = nil
    ) throws -> TusDestination {
        var destination = TusDestination(
            endpoint: try WebURL(origin.publishURL(fault: fault, "/tus/")),
            post: PlainPost(try WebURL(origin.url("/posts")), settling: .key),
            authorization: authorization
        )
        destination.pieceBytes = ByteCount(pieceBytes)
        return destination
    }

    /// Whether the complete uploads are those of a noisy post's files, each once.
    fileprivate func hasExactly(_ lengths: [Int]) throws -> Bool {
        let digests = try lengths.enumerated().map { number, length in
            try Digest(.sha256, of: noise(length, seed: UInt64(number + 1))).hexadecimal
        }
        return origin.received.uploads.filter(\.complete).compactMap(\.sha256).sorted() == digests.sorted()
    }
}

extension ManualClock {
    /// Wakes whoever sleeps, at once.
    fileprivate func run() async {
        while !Task.isCancelled {
            // Cancellation ends the wait and the loop.
            try? await waitForSleepers(1)
            advanceToNextSleeper()
        }
    }
}
