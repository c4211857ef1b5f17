import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypePublish
import CalotypeTestKit
import FoundationEssentials

@testable import CalotypeApp

/// Somebody who publishes through the app.
struct PublishingFixture: Sendable {
    struct File: Decodable, Sendable {
        let id: String
        let name: String
        let bytes: Int
        let type: String
        let kind: String
        let width: Int?
        let height: Int?
        let fault: String?
        let src: String?
    }

    struct Post: Decodable, Sendable {
        struct Medium: Decodable, Sendable {
            let file: String
            let name: String
            let alt: String
            let focus: [Double]?
            let src: String?
        }

        struct Progress: Decodable, Sendable {
            struct Item: Decodable, Sendable {
                let name: String
                let stage: String
                let acknowledged: Int
            }
            let stage: String
            let fraction: Double
            let items: [Item]
        }

        let id: String
        let profile: String
        let text: String
        let contentWarning: String?
        let language: String?
        let schedule: String?
        let created: String
        let state: String
        let url: String?
        let problem: String?
        let media: [Medium]
        let progress: Progress?
    }

    struct Order: Encodable {
        struct Medium: Encodable {
            let file: String
            var alt: String?
            var focus: [Double]?
        }
        var profile = "inbox"
        var text: String? = "Hello"
        var contentWarning: String?
        var visibility: String?
        var language: String?
        var schedule: String?
        var media: [Medium] = []
        var again: Bool?
    }

    struct Files: Decodable { let files: [File] }
    struct Posts: Decodable { let posts: [Post] }

    let app: LiveApp

    static func picture(_ number: Int) -> [UInt8] {
        TinyPicture.png(PixelSize(width: 40, height: 30), TinyPicture.Colour(UInt8(number), 0, 200))
    }

    func send(_ name: String, _ bytes: [UInt8]) async throws -> LiveApp.Answer {
        let query = PercentEscapes.encoded(name)
        return try await app.send(.post, "/api/publish/files?name=\(query)", body: HTTPBody(bytes))
    }

    func file(_ name: String, _ bytes: [UInt8]) async throws -> File {
        try await send(name, bytes).json(as: File.self)
    }

    func files() async throws -> [File] {
        try await app.send(.get, "/api/publish/files").json(as: Files.self).files
    }

    func posts() async throws -> [Post] {
        try await app.send(.get, "/api/publish/posts").json(as: Posts.self).posts
    }

    /// Hands over so many pictures, and has them published.
    func publish(
        _ text: String = "Hello",
        pictures: Int = 2,
        to profile: String = "inbox"
    ) async throws -> Post {
        var order = Order(profile: profile, text: text)
        for number in 0..<pictures {
            let file = try await file("\(number).png", Self.picture(number))
            order.media.append(.init(file: file.id, alt: "Picture \(number)"))
        }
        return try await app.send(.post, "/api/publish/posts", json: order).json(as: Post.self)
    }

    /// Follows a post to its end, and returns it.
    func end(of post: Post) async throws -> Post {
        try await app.withEvents(.get, "/api/publish/posts/\(post.id)/events") { events in
            while try await events.next() != nil {}
        }
        return try await self.post(post.id)
    }

    func post(_ id: String) async throws -> Post {
        try await app.send(.get, "/api/publish/posts/\(id)").json(as: Post.self)
    }

    /// Follows a post until `isMet`, and returns the state that was so.
    func progress(
        of post: Post,
        until isMet: @escaping @Sendable (Post.Progress) -> Bool
    ) async throws -> Post.Progress? {
        try await app.withEvents(.get, "/api/publish/posts/\(post.id)/events") { events in
            while let event = try await events.next() {
                let progress = try event.json(as: Post.Progress.self)
                if isMet(progress) { return progress }
            }
            return nil
        }
    }
}
