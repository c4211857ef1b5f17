import CalotypeCore
import CalotypeTestKit
import Testing

@testable import CalotypeCatalog

/// Lookups, albums and pictures named by any JSON.
@Suite(.timeLimit(.minutes(1)))
struct CatalogLookupTests {
    @Test func `an app is looked up by its number`() async throws {
        try await StoreFront.open { front in
            try front.origin.answer("http://store.test/lookup?id=5&country=de", with: StoreFront.answer([5]))
            let app = try await front.catalog.apps.app(5, country: "de")
            #expect(app.name == "Moss Camera 5")
        }
    }

    @Test func `an app that the store does not have is an error, and so is an invalid one`()
        async throws
    {
        try await StoreFront.open { front in
            let none = await #expect(throws: CatalogError.self) { try await front.catalog.apps.app(5) }
            #expect(none?.code == .noSuchApp)
            let broken = Fixtures.answer([Fixtures.app(6, ["artworkUrl512": "\"x\""])])
            try front.origin.answer("http://store.test/lookup?id=6&country=us", with: StoreFront.text(broken))
            let odd = await #expect(throws: CatalogError.self) { try await front.catalog.apps.app(6) }
            #expect(odd?.code == .invalidDocument)
            #expect(odd?.message.contains("its icon") == true)
            try front.origin.answer("http://store.test/lookup?id=7&country=us", with: StoreFront.answer([8]))
            let other = await #expect(throws: CatalogError.self) { try await front.catalog.apps.app(7) }
            #expect(other?.code == .noSuchApp)
        }
    }

    @Test func `apps are looked up by their bundle identifiers`() async throws {
        try await StoreFront.open { front in
            try front.origin.answer(
                "http://store.test/lookup?bundleId=a.b,c.d&country=us",
                with: StoreFront.answer([1, 2])
            )
            let listing = try await front.catalog.apps.lookup(bundleIDs: ["a.b", "c.d"])
            #expect(listing.entries.map(\.id) == [1, 2])
        }
    }

    @Test(arguments: [[], [0], [-1], Array(1...201)])
    func `an invalid lookup is refused`(_ ids: [Int]) async throws {
        try await StoreFront.open { front in
            let error = await #expect(throws: CatalogError.self) { try await front.catalog.apps.lookup(ids) }
            #expect(error?.code == .invalidQuery)
            #expect(front.origin.statistics.requests == 0)
        }
    }

    @Test func `an album's photos are those that make sense`() async throws {
        let entries = [
            Fixtures.photo(101), "null", Fixtures.photo(101),
            "{\"id\": 102, \"title\": \" two\\nlines \", \"url\": \"http://p.test/2\", \"thumbnailUrl\": \"x:y\"}",
            "{\"id\": 103, \"url\": \"ftp://p.test/3\"}", "{\"url\": \"http://p.test/4\"}", "{\"id\": 105}",
        ]
        try await StoreFront.open { front in
            try front.origin.answer(
                "http://store.test/albums/3/photos",
                with: StoreFront.text("[" + entries.joined(separator: ",") + "]")
            )
            let album = try await front.catalog.album(3)
            #expect(album.entries.map(\.id) == [101, 102])
            #expect(album.entries.map(\.position) == [1, 4])
            #expect(album.entries[0].albumID == 3)
            #expect(album.entries[0].thumbnail.url == "https://p.test/150/101")
            #expect(album.entries[1].title == "two lines")
            #expect(
                album.entries[1].thumbnailURL == nil && album.entries[1].thumbnail.url == "http://p.test/2"
            )
            #expect(album.skipped.map(\.position) == [2, 3, 5, 6, 7])
        }
    }

    @Test(arguments: [
        ("{}", "invalid_document"), (Fixtures.page, "not_json"), ("[{\"id\": 1", "invalid_document"),
    ])
    func `what is no album is an error`(_ text: String, _ code: String) async throws {
        try await StoreFront.open { front in
            try front.origin.answer("http://store.test/albums/3/photos", with: StoreFront.text(text))
            let error = await #expect(throws: CatalogError.self) { try await front.catalog.album(3) }
            #expect(error?.code.rawValue == code)
        }
    }

    @Test func `any JSON names pictures, and one document is read along several paths`() async throws {
        try await StoreFront.open { front in
            let url = "http://other.test/lists/all.json"
            try front.origin.answer(url, with: StoreFront.text(JSONPathTests.document))
            let photos = try await front.catalog.pictures(at: url, path: try JSONPath("$.photos[*].url"))
            #expect(photos.entries.map(\.url) == ["http://p.test/1.png", "http://p.test/2.png"])
            try await QuietCheck.expectQuiet(front.pipeline)
            let one = try await front.catalog.pictures(at: url, path: try JSONPath("one"))
            #expect(one.entries.map(\.url) == ["http://p.test/4.png"])
            let again = try await front.catalog.pictures(at: url, path: try JSONPath("$['one']"))
            #expect(again.cache == .hit && front.origin.statistics.requests == 2)
        }
    }

    @Test func `pictures are not searched for if there is no URL`() async throws {
        try await StoreFront.open { front in
            let path = try JSONPath("$.a")
            let error = await #expect(throws: CatalogError.self) {
                try await front.catalog.pictures(at: "file:///etc/passwd", path: path)
            }
            #expect(error?.code == .unsupportedScheme)
        }
    }

    @Test func `a robot has the text as its title`() async throws {
        try await StoreFront.open { front in
            let robot = try front.catalog.robot("R2")
            #expect(robot == CatalogPicture(url: "http://store.test/robots/R2.png", title: "R2"))
        }
    }
}
