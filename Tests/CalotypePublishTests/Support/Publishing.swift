import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeTestKit
import FoundationEssentials
import TaskFlow

@testable import CalotypePublish

/// A publisher with a journal of its own, and an origin that receives.
struct Publishing: Sendable {
    let publisher: Publisher
    let pipeline: ImagePipeline
    let origin: Origin
    let folder: String

    /// A post with pictures that are there as files, each of another colour.
    func post(_ text: String = "Hello", pictures: Int = 3) throws -> Post {
        Post(text, media: try (0..<pictures).map { .file(try picture($0), altText: "Picture \($0)") })
    }

    /// The path of a small picture.
    func picture(_ number: Int) throws -> String {
        let path = "\(folder)/picture-\(number).png"
        let colour = TinyPicture.Colour(UInt8(number), 0, 200)
        try Data(TinyPicture.png(PixelSize(width: 8, height: 8), colour)).write(to: URL(filePath: path))
        return path
    }

    /// The origin's inbox as a destination, with what goes wrong there.
    func inbox(
        media fault: String? = nil,
        posts postFault: String? = nil,
        settling: PostSettling = .key
    ) throws -> PlainDestination {
        let post = PlainPost(try WebURL(origin.publishURL(fault: postFault, "/posts")), settling: settling)
        return PlainDestination(folder: try WebURL(origin.publishURL(fault: fault, "/inbox/")), post: post)
    }

    func record() async throws -> PublicationRecord? {
        try await publisher.journal.publications().first
    }
}

/// Runs `body` with a publisher whose pauses are short.
func withPublishing<Output: Sendable>(
    _ configure: (inout PublisherConfiguration) -> Void = { _ in },
    _ body: (Publishing) async throws -> Output
) async throws -> Output {
    try await withScratchFolder { folder in
        var configuration = PublisherConfiguration(journal: "\(folder)/journal/publish")
        configuration.retry.baseDelay = .milliseconds(1)
        configuration.settlingTime = .zero
        configure(&configuration)
        let pictures = OriginConfiguration(pictures: PicturesInMemory([:]))
        return try await withOrigin(pictures) { [configuration] origin in
            try await withImagePipeline { pipeline in
                try await withPublisher(configuration, pipeline) { publisher in
                    try await body(
                        Publishing(publisher: publisher, pipeline: pipeline, origin: origin, folder: folder)
                    )
                }
            }
        }
    }
}

/// The code of what `body` throws; `nil` where it throws nothing.
func code(_ body: () async throws -> some Any) async -> ErrorCode? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? CalotypeError)?.code
            ?? (error as? PublishError)?.error.code
            ?? ErrorCode(rawValue: "\(type(of: error))")
    }
}
