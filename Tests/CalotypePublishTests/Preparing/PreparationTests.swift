import Calotype
import CalotypeCore
import CalotypeTestKit
import FoundationEssentials
import TaskFlow
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct PreparationTests {
    private static let clip: [UInt8] = [0, 0, 0, 16] + Array("ftypisom".utf8) + noise(5000)
    private static let photo = PixelSize(width: 640, height: 480)

    private func sent(
        _ media: Media,
        _ limits: MediaLimits = MediaLimits()
    ) async throws -> (PreparedMedium, [UInt8]) {
        try await withPublishing { publishing in
            let bytes = Guarded<[UInt8]>([])
            var destination = ScriptedDestination()
            destination.taken = limits
            destination.onUpload = { medium, _, _ in
                let data = try Data(contentsOf: URL(filePath: medium.file.path))
                bytes.withLock { $0 = Array(data) }
            }
            _ = try await publishing.publisher.publish(Post("", media: [media]), to: destination)
            let folder = "\(publishing.publisher.journal.folder)/files"
            let left = try? FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left ?? [] == [])
            let medium = try #require(destination.uploads.values.first)
            return (medium, bytes.withLock { $0 })
        }
    }

    @Test func `bytes are sent as they are`() async throws {
        let png = TinyPicture.png()
        let (medium, bytes) = try await sent(Media(.bytes(png)))
        #expect(bytes == png)
        #expect(medium.type.name == "image/png")
        #expect(medium.name == "media-1.png")
    }

    @Test func `what is no picture is sent as it is`() async throws {
        let clip = Self.clip
        let (medium, bytes) = try await sent(Media(.bytes(clip)))
        #expect(bytes == clip)
        #expect(medium.type.kind == .video)
    }

    @Test func `a rendition is made, and sent`() async throws {
        let source = try await DrawnPicture.encoded(Self.photo)
        let request = ImageRequest(.bytes(source), .fit(100, 100), .webp)
        let (medium, bytes) = try await sent(Media(.rendition(request)))
        #expect(MediaSniffer.type(of: bytes).name == "image/webp")
        #expect(medium.type.name == "image/webp")
    }

    @Test func `a picture that is too large for the server is made smaller`() async throws {
        let source = try await DrawnPicture.encoded(Self.photo)
        var limits = MediaLimits()
        limits.imageBytes = .kibibytes(12)
        limits.imagePixels = 100_000
        let (medium, bytes) = try await sent(Media(.bytes(source)), limits)
        #expect(bytes.count <= 12 << 10)
        #expect(medium.file.size.bytes == bytes.count)
        try await withImagePipeline { pipeline in
            let size = try await pipeline.info(of: .bytes(bytes)).facts.size
            #expect(size.width * size.height <= 100_000)
            let ratio = Double(size.width) / Double(size.height)
            #expect(abs(ratio - 4.0 / 3) < 0.02)
        }
    }

    @Test func `a picture of a type that the server does not take becomes a JPEG`() async throws {
        var limits = MediaLimits()
        limits.types = ["image/jpeg"]
        let (medium, _) = try await sent(Media(.bytes(TinyPicture.png())), limits)
        #expect(medium.type.name == "image/jpeg")
        #expect(medium.name == "media-1.jpg")
    }

    @Test func `what the server does not take is refused before anything is sent`() async throws {
        let clip = Media(.bytes(Self.clip))
        var limits = MediaLimits()
        limits.types = ["image/jpeg"]
        let type = await code { [limits] in try await sent(clip, limits) }
        #expect(type == .postRefused)
        limits.types = nil
        limits.fileBytes = ByteCount(1000)
        let size = await code { [limits] in try await sent(clip, limits) }
        #expect(size == .postRefused)
    }

    @Test func `a cut picture is found before the first upload`() async throws {
        let whole = try await DrawnPicture.encoded(Self.photo)
        try await withPublishing { publishing in
            let destination = ScriptedDestination()
            let media = [
                Media(.bytes(TinyPicture.png())), Media(.bytes(Array(whole.dropLast(whole.count / 2)))),
            ]
            let failed = await code {
                try await publishing.publisher.publish(Post("", media: media), to: destination)
            }
            #expect(failed == .truncatedImage)
            #expect(destination.uploads.count == 0)
        }
    }

    @Test func `damage within a picture ends its upload and removes what was uploaded`() async throws {
        var damaged = try await DrawnPicture.encoded(Self.photo)
        for index in damaged.count / 2..<damaged.count / 2 + 64 { damaged[index] = 0xFF }
        try await withPublishing { [damaged] publishing in
            let (isUploaded, never) = (Event(), Event())
            var destination = ScriptedDestination()
            // The upload of the damaged picture ends only if its check cancels it.
            destination.onUpload = { medium, _, _ in
                if medium.position == 1 { try await never.wait() }
                isUploaded.signal()
            }
            let post = Post("", media: [Media(.bytes(TinyPicture.png())), Media(.bytes(damaged))])
            let progress = PublishProgress(interval: .zero)
            let failed = await code { [destination] in
                try await publishing.publisher.withPublication(of: post, to: destination, progress: progress)
                {
                    publication in
                    try await Job.uploading(publication.media[0], using: publication).run()
                    try await isUploaded.wait()
                    try await Job.uploading(publication.media[1], using: publication).run()
                    try await Job.uploading(post, using: publication).run()
                }
            }
            #expect(failed == .corruptImage)
            #expect(destination.drafts.count == 0)
            let uploaded = try RememberedState(["id": "0"])
            #expect(destination.discarded.values.contains(uploaded))
            #expect(progress.current.stage == .failed)
            let record = try await publishing.record()
            #expect(record?.state == .failed)
            #expect(record?.hasLeftovers == false)
            #expect(record?.problem == progress.current.problem)
        }
    }

    @Test func `a post waits for the check of every picture`() async throws {
        var damaged = try await DrawnPicture.encoded(Self.photo)
        for index in damaged.count / 2..<damaged.count / 2 + 64 { damaged[index] = 0xFF }
        try await withPublishing { [damaged] publishing in
            let destination = ScriptedDestination()
            let post = Post("", media: [Media(.bytes(damaged))])
            let failed = await code {
                try await publishing.publisher.publish(post, to: destination)
            }
            #expect(failed == .corruptImage)
            #expect(destination.drafts.count == 0)
            let planned = await code { try await publishing.publisher.plan(post, for: destination) }
            #expect(planned == .corruptImage)
        }
    }

    @Test(arguments: ["missing.jpg", "", "."]) func `the error for a non-file contains its path`(
        name: String
    ) async throws {
        try await withPublishing { publishing in
            let path = "\(publishing.folder)/\(name)"
            let post = Post("", media: [.file(path)])
            let failed = await code {
                try await publishing.publisher.publish(post, to: ScriptedDestination())
            }
            #expect(failed == .fileNotReadable)
        }
    }

    @Test func `a plan shows what would be sent, and sends nothing`() async throws {
        let source = try await DrawnPicture.encoded(Self.photo)
        try await withPublishing { publishing in
            var destination = ScriptedDestination()
            destination.taken.imagePixels = 1000
            let post = Post("", media: [Media(.bytes(source)), .file(try publishing.picture(0))])
            let plan = try await publishing.publisher.plan(post, for: destination)
            #expect(plan.map { $0.change == nil } == [false, true])
            #expect(plan.map(\.name) == ["media-1.jpg", "picture-0.png"])
            #expect(destination.uploads.count == 0)
            let record = try await publishing.record()
            #expect(record == nil)
        }
    }
}
