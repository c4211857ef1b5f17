import CalotypeCore
import CalotypeOrigin
import CalotypeTestKit
import Testing

@testable import CalotypeApp

/// The size, format and quality of a wall's images.
@Suite(.timeLimit(.minutes(1)))
struct WallImageTests {
    private static func expect(
        _ images: JSONValue?,
        _ side: Double,
        _ format: String,
        _ quality: Double?
    ) {
        #expect(images?["side"]?.number == side && images?["format"]?.text == format)
        #expect(images?["quality"]?.number == quality)
    }

    @Test(arguments: [
        ("jpeg", 40, "jpg", "image/jpeg"), ("webp", 70, "webp", "image/webp"),
        ("png", nil, "png", "image/png"),
    ])
    func `a wall's size, format and quality apply to all that is made of it`(
        format: String,
        quality: Int?,
        ending: String,
        type: String
    ) async throws {
        try await LiveApp.open { app in
            let order = WallTests.Order(
                urls: [app.photo(), app.origin.url("/status/404")],
                side: 32,
                format: format,
                quality: quality
            )
            let wall = try await WallTests.load(app, order)
            let src = try #require(wall.entries.first { $0.status == "ok" }?.src)
            let picture = try await app.send(.get, src)
            #expect(picture.headers["Content-Type"] == type)
            #expect(src.contains("q:") == (quality != nil) && src.hasSuffix("@\(ending)"))
            let larger = try await app.get("/api/walls/\(wall.id)/pictures/0?side=64").json["src"]?.text
            #expect(larger == src.replacing("rs:fit:32:32", with: "rs:fit:64:64"))
            let list = try await app.get("/api/walls").json["walls"]
            Self.expect(list?[0]?["images"], 32, format, quality.map(Double.init))
            let path = "/api/walls/\(wall.id)/retry"
            let again = try await app.withEvents(.post, path, json: ["entries": [1]]) { events in
                try await WallTests.result(of: &events)
            }
            Self.expect(again.images, 32, format, quality.map(Double.init))
            #expect(again.entries.compactMap(\.src) == [src])
            let report = try await app.send(.get, "/api/walls/\(wall.id)/report")
            #expect(report.text.contains(".\(ending)\""))
            let zip = try await app.send(.get, "/api/walls/\(wall.id)/zip")
            let members = try await UnpackedZip.members(of: zip.bytes)
            #expect(members.first?.name.hasSuffix(".\(ending)") == true)
            #expect(members.first?.bytes == picture.bytes)
        }
    }

    @Test func `by default the server chooses the format and the quality`() async throws {
        try await LiveApp.open { app in
            let wall = try await WallTests.load(app, .init(urls: [app.photo()]))
            let src = try #require(wall.entries.first?.src)
            #expect(!src.contains("q:") && !src.contains("@"))
            Self.expect(try await app.get("/api/walls").json["walls"]?[0]?["images"], 192, "automatic", nil)
        }
    }

    @Test func `a quality applies to the formats that the server chooses`() async throws {
        let photo = try await DrawnPicture.encoded(PixelSize(width: 400, height: 300))
        try await LiveApp.open(pictures: ["photo.jpg": photo]) { app in
            var sizes: [Int] = []
            for quality in [10, 90] {
                let wall = try await WallTests.load(app, .init(urls: [app.photo()], quality: quality))
                sizes.append(try #require(wall.entries.first?.bytes))
            }
            #expect(sizes[0] < sizes[1])
        }
    }
}
