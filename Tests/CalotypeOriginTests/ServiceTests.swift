import CalotypeOrigin
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ServiceTests {
    private struct Photo: Decodable {
        let albumId: Int
        let id: Int
        let title: String
        let url: String
        let thumbnailUrl: String
    }

    private struct User: Decodable {
        let id: Int
        let name: String
        let avatar: String
        let pictures: [String]
        let cards: [Card]
    }

    private struct Card: Decodable {
        let title: String
        let number: String
        let validUntil: String
    }

    private struct Certificate: Decodable {
        let title: String
        let picture: String
    }

    private struct WantedSize: Decodable {
        let width: Int
        let height: Int
    }

    @Test func `an album has 50 photos with addresses of their own, and all of them are there`() async throws
    {
        try await withTestOrigin { origin, client in
            let first: [Photo] = try await client.json(origin.photosURL(album: 1))
            let last: [Photo] = try await client.json("/albums/100/photos")
            #expect(first.map(\.id) == Array(1...50))
            #expect(last.map(\.id) == Array(4951...5000))
            #expect(last.allSatisfy { $0.albumId == 100 && !$0.title.isEmpty })
            #expect(last.allSatisfy { $0.thumbnailUrl.contains("/small/") && $0.url.contains("/pictures/") })
            #expect(Set((first + last).map(\.url)).count == 100)
            for photo in first.prefix(4) { #expect(await client.get(url: photo.url).status == 200) }
        }
    }

    @Test(arguments: [0, 1, 10, 50])
    func `as many photos of an album are broken as requested`(broken: Int) async throws {
        try await withTestOrigin { origin, client in
            let photos: [Photo] = try await client.json(origin.photosURL(album: 3, broken: broken))
            var whole = 0
            for photo in photos {
                let answer = await client.get(url: photo.url)
                whole += answer.status == 200 && TestPictures.files.values.contains(answer.body) ? 1 : 0
            }
            #expect(whole == 50 - broken)
        }
    }

    @Test func `a user has an avatar, pictures and cards, and certificates with pictures`() async throws {
        try await withTestOrigin { origin, client in
            let user: User = try await client.json(origin.userURL(7))
            #expect(user.id == 7)
            #expect(!user.name.isEmpty)
            #expect(user.pictures.count == 6)
            #expect(!user.cards.isEmpty)
            let certificates: [Certificate] = try await client.json(origin.certificatesURL(user: 7))
            for url in user.pictures + certificates.map(\.picture) {
                #expect(await client.get(url: url).status == 200)
            }
            #expect(await client.get(url: user.avatar).field("Content-Type") == "image/png")
            let broken: User = try await client.json(origin.userURL(7, broken: 2))
            #expect(broken.pictures.prefix(4) == user.pictures.prefix(4))
            for url in broken.pictures.suffix(2) {
                #expect(!TestPictures.files.values.contains(await client.get(url: url).body))
            }
        }
    }

    @Test func `a thumbnail has a picture and a document that says the wanted size`() async throws {
        try await withTestOrigin { origin, client in
            var sizes: Set<Int> = []
            for id in [1, 2, 1000] {
                #expect(await client.get(url: origin.thumbnailURL(id)).status == 200)
                let size: WantedSize = try await client.json(origin.thumbnailMetadataURL(id))
                sizes.insert(size.width * 1000 + size.height)
                #expect((1...1000).contains(size.width) && (1...1000).contains(size.height))
            }
            #expect(sizes.count == 3)
        }
    }

    @Test(arguments: [
        "/albums/0/photos", "/albums/101/photos", "/albums/x/photos",
        "/people/users/101", "/people/users/-1", "/people/users/101/certificates", "/thumbs/thumbnails/1001",
        "/thumbs/thumbnails/0/metadata", "/albums/1", "/people", "/thumbs/thumbnails/1/other",
    ])
    func `what does not exist receives 404`(path: String) async throws {
        try await withTestOrigin { _, client in #expect(await client.get(path).status == 404) }
    }

    @Test(arguments: ["51", "-1", "x", ""])
    func `an invalid number of broken entries gets status 400`(broken: String) async throws {
        try await withTestOrigin { _, client in
            #expect(await client.get("/albums/1/photos?broken=\(broken)").status == 400)
        }
    }

    @Test func `an origin without pictures has robots in the albums, and no thumbnails`() async throws {
        try await withTestOrigin([:]) { origin, client in
            let photos: [Photo] = try await client.json(origin.photosURL(album: 1, broken: 10))
            #expect(photos[0].url == "\(origin.baseURL)/robots/picture-1.png?photo=1")
            #expect(await client.get(url: photos[4].url).status == 404)
            #expect(await client.get(url: origin.thumbnailURL(1)).status == 404)
        }
    }

    @Test func `documents have a tag for conditional requests`() async throws {
        try await withTestOrigin { origin, client in
            let document = await client.get(url: origin.userURL(1))
            #expect(document.field("Content-Type") == "application/json; charset=utf-8")
            let tag = try #require(document.field("ETag"))
            #expect(await client.get("/people/users/1", "If-None-Match: \(tag)").status == 304)
        }
    }

    @Test(arguments: [
        "/albums/1/photos", "/people/users/1", "/thumbs/thumbnails/1",
        "/thumbs/thumbnails/1/metadata", "/robots/x.png?size=9x9",
    ])
    func `the plan of faults applies to the services too`(path: String) async throws {
        let whole = Self.Answer()
        try await withTestOrigin { _, client in whole.body = await client.get(path).body }
        let cut = try FaultPlan(parsing: "cut=100%")
        try await withTestOrigin(configure: { $0.faults = cut }) { _, client in
            let body = await client.get(path).body
            #expect(!body.isEmpty && body.count < whole.body.count)
        }
        let late = try FaultPlan(parsing: "latency=30ms,503=100%")
        try await withTestOrigin(configure: { $0.faults = late }) { _, client in
            let start = ContinuousClock.now
            #expect(await client.get(path).status == 503)
            #expect(ContinuousClock.now - start >= .milliseconds(30))
        }
    }

    /// Carries a body from one scope to the next.
    private final class Answer {
        var body: [UInt8] = []
    }
}

extension RawClient {
    /// Gets a URL of the origin that this client is for.
    func get(url: String) async -> Exchange {
        await get(String(url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }))
    }

    /// Gets a document by its URL or its path, and decodes it.
    func json<Value: Decodable>(_ address: String) async throws -> Value {
        let answer = address.hasPrefix("/") ? await get(address) : await get(url: address)
        return try JSONDecoder().decode(Value.self, from: Data(answer.body))
    }
}
