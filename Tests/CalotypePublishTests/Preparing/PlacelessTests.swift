import CalotypeCore
import CalotypeTestKit
import FoundationEssentials
import TaskFlow
import Testing

@testable import CalotypePublish

/// Photos that tell where they were made.
@Suite(.timeLimit(.minutes(1))) struct PlacelessTests {
    private static let place = "48.8577 north"
    private static let camera = "Camera Works"

    @Test(arguments: [false, true])
    func `a photo is sent without its place, and otherwise as it is, unless it is to be kept`(
        _ keepsLocation: Bool
    ) async throws {
        let photo = try await Self.photo()
        try await withPublishing {
            $0.keepsLocation = keepsLocation
        } _: { publishing in
            let path = "\(publishing.folder)/photo.jpg"
            try Data(photo).write(to: URL(filePath: path))
            var clips = [Media(.bytes(Self.clip)), Media(.bytes(Self.clip))]
            (clips[0].thumbnail, clips[1].thumbnail) = (.file(path: path), .bytes(photo))
            let media =
                [.file(path), Media(.bytes(photo)), .file(try publishing.picture(0))] + clips
            let sent = Guarded<[Int: [UInt8]]>([:])
            var destination = ScriptedDestination()
            destination.onUpload = { medium, _, _ in
                let file = medium.thumbnail ?? medium.file
                let data = try Data(contentsOf: URL(filePath: file.path))
                #expect(file.size.bytes == data.count)
                sent.withLock { $0[medium.position] = Array(data) }
            }
            let progress = PublishProgress()
            let post = Post("", media: media)
            let plan = try await publishing.publisher.plan(post, for: destination)
            #expect(plan.map(\.losesLocation) == [!keepsLocation, !keepsLocation, false, false, false])
            #expect(plan.map { $0.change?.contains("GPS") ?? false } == plan.map(\.losesLocation))
            _ = try await publishing.publisher.publish(post, to: destination, progress: progress)
            #expect(progress.current.items.map(\.losesLocation) == plan.map(\.losesLocation))
            for position in [0, 1, 3, 4] {
                let bytes = try #require(sent.withLock { $0[position] })
                #expect(Self.tells(bytes, Self.place) == keepsLocation, "medium \(position + 1)")
                #expect(Self.tells(bytes, Self.camera) && bytes.count == photo.count)
            }
            let picture = try Data(contentsOf: URL(filePath: publishing.picture(0)))
            #expect(sent.withLock { $0[2] } == Array(picture))
            #expect(try Data(contentsOf: URL(filePath: path)) == Data(photo))
        }
    }

    @Test func `a resume that is no longer to keep the place sends other bytes, and from their start`()
        async throws
    {
        let photo = try await Self.photo()
        try await withPublishing {
            $0.keepsLocation = true
        } _: { publishing in
            let path = "\(publishing.folder)/photo.jpg"
            try Data(photo).write(to: URL(filePath: path))
            let post = Post("", media: [.file(path)])
            var first = ScriptedDestination()
            first.onUpload = { _, _, _ in throw ScriptedDestination.failure(.none) }
            _ = await code { [first] in try await publishing.publisher.publish(post, to: first) }
            let remembered = Recorder<RememberedState>()
            let sent = Guarded<[UInt8]>([])
            var second = ScriptedDestination()
            second.isForgetful = true
            second.onUpload = { medium, session, _ in
                remembered.record(session.state)
                let data = try Data(contentsOf: URL(filePath: medium.file.path))
                sent.withLock { $0 = Array(data) }
            }
            var configuration = publishing.publisher.configuration
            configuration.keepsLocation = false
            try await withPublisher(configuration, publishing.pipeline) { [second] publisher in
                _ = try await publisher.publish(post, to: second, .resume)
            }
            #expect(!Self.tells(sent.withLock(\.self), Self.place))
            #expect(remembered.values == [RememberedState.none])
        }
    }

    private static let clip: [UInt8] = [0, 0, 0, 16] + Array("ftypisom".utf8) + noise(5000)

    private static func tells(_ bytes: [UInt8], _ text: String) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains(text)
    }

    /// A JPEG whose EXIF has a camera, and a position as a text.
    private static func photo() async throws -> [UInt8] {
        let jpeg = try await DrawnPicture.encoded(PixelSize(width: 64, height: 48))
        try #require(jpeg.starts(with: [0xFF, 0xD8]))
        func big(_ value: Int, _ length: Int) -> [UInt8] {
            (0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
            big(tag, 2) + big(type, 2) + big(count, 4) + big(value, 4)
        }
        let (camera, place) = (Array(camera.utf8) + [0], Array(place.utf8) + [0])
        let texts = 8 + 2 + 24 + 4
        var block = Array("MM".utf8) + big(42, 2) + big(8, 4) + big(2, 2)
        block +=
            entry(271, 2, camera.count, texts) + entry(34_853, 4, 1, texts + camera.count) + big(0, 4)
            + camera
        block += big(1, 2) + entry(27, 7, place.count, texts + camera.count + 2 + 12 + 4) + big(0, 4) + place
        let segment = Array("Exif".utf8) + [0, 0] + block
        return jpeg[..<2] + [0xFF, 0xE1] + big(segment.count + 2, 2) + segment + jpeg[2...]
    }
}
