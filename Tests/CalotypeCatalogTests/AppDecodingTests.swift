import CalotypeCore
import Testing

@testable import CalotypeCatalog

/// What of an App Store's answer is kept, and what is left out and why.
struct AppDecodingTests {
    private func listing(_ entries: String..., limit: Int = 200) throws -> CatalogListing<AppStoreEntity> {
        try AppStoreSearch.listing(Array(Fixtures.answer(entries).utf8), limit: limit)
    }

    /// The app of one entry that is as it should be but for `changes`.
    private func app(_ changes: [String: String?]) throws -> AppStoreEntity {
        let listing = try listing(Fixtures.app(11, changes))
        return try #require(listing.entries.first, "\(listing.skipped)")
    }

    /// Why one entry with `changes` is left out.
    private func reason(_ changes: [String: String?]) throws -> String {
        let listing = try listing(Fixtures.app(11, changes))
        #expect(listing.entries.isEmpty)
        return try #require(listing.skipped.first).reason
    }

    @Test func `a whole entry is read, fields that are not documented are passed over`() throws {
        let app = try app([:])
        #expect(app.id == 11 && app.position == 1)
        #expect(app.name == "Moss Camera 11")
        #expect(app.bundleID == "example.moss.camera")
        #expect(app.developer == "Fern & Daughters")
        #expect(app.rating == AppStoreEntity.Rating(average: 4.535, count: 12034))
        #expect(app.rating?.text == "4.54")
        #expect(app.price == "€ 0,99")
        #expect(app.storePage == "https://apps.test/us/app/id11?uo=4")
        #expect(app.icon == "https://is1.icons.test/11/512x512bb.jpg")
        #expect(app.phoneScreenshots.count == 2 && app.tabletScreenshots.count == 1)
        #expect(app.genres == ["Photo & Video", "Utilities"])
        #expect(app.version == "2.10.1")
        #expect(app.summary == "Takes pictures\nof moss.\n• Slowly")
    }

    @Test func `all that may be missing may be missing`() throws {
        let needed = ["trackId", "trackName", "trackViewUrl", "artworkUrl60"]
        let entry = """
            {"trackId": 5, "trackName": "Bare", "trackViewUrl": "https://apps.test/5", \
            "artworkUrl60": "https://i.test/60x60bb.jpg"}
            """
        let app = try #require(try listing(entry).entries.first, "\(needed)")
        var bare = AppStoreEntity(
            id: 5,
            name: "Bare",
            storePage: "https://apps.test/5",
            icon: "https://i.test/60x60bb.jpg"
        )
        bare.position = 1
        #expect(app == bare)
        #expect(app.rating == nil && app.price == nil && app.developer == nil && app.screenshots.isEmpty)
    }

    @Test(
        arguments: [
            (["averageUserRating": nil], nil),
            (["userRatingCount": nil], nil),
            (["averageUserRating": "0", "userRatingCount": "0"], nil),
            (["averageUserRating": "7.5"], nil),
            (["averageUserRating": "-1"], nil),
            (["averageUserRating": "null"], nil),
            (["averageUserRating": "\"4.5\"", "userRatingCount": "\"8\""], "4.50"),
            (["averageUserRating": "5"], "5.00"),
            (["averageUserRating": "4.9961"], "5.00"),
            (["averageUserRating": "{}"], nil),
        ] as [([String: String?], String?)]
    )
    func `a rating that is missing or odd is none, and the app is kept`(
        _ changes: [String: String?],
        _ text: String?
    ) throws {
        let app = try app(changes)
        #expect(app.rating?.text == text)
    }

    @Test(
        arguments: [
            (["formattedPrice": nil], "0.99 EUR"),
            (["formattedPrice": nil, "price": "12"], "12.00 EUR"),
            (["formattedPrice": nil, "price": "0"], nil),
            (["formattedPrice": nil, "price": nil], nil),
            (["formattedPrice": nil, "currency": nil], nil),
            (["formattedPrice": "\"Free\"", "price": "0"], "Free"),
            (["formattedPrice": "3"], "0.99 EUR"),
            (["formattedPrice": nil, "price": "1e300"], nil),
        ] as [([String: String?], String?)]
    )
    func `a price is the store's text, or made of the number`(
        _ changes: [String: String?],
        _ price: String?
    ) throws {
        let app = try app(changes)
        #expect(app.price == price)
    }

    @Test(
        arguments: [
            ["screenshotUrls": nil, "ipadScreenshotUrls": nil],
            ["screenshotUrls": "[]", "ipadScreenshotUrls": "null"],
            ["screenshotUrls": "\"https://one.test/1.jpg\"", "ipadScreenshotUrls": "{}"],
        ] as [[String: String?]]
    )
    func `an app without screenshots is kept`(_ changes: [String: String?]) throws {
        let app = try app(changes)
        #expect(app.screenshots.isEmpty)
    }

    @Test func `a bad screenshot affects only itself, and is reported`() throws {
        let urls = "[\"https://s.test/1.jpg\", \"file:///etc/passwd\", 7, \"https://s.test/2.jpg\", \"\"]"
        let listing = try listing(Fixtures.app(11, ["screenshotUrls": urls]))
        let app = try #require(listing.entries.first)
        #expect(app.phoneScreenshots == ["https://s.test/1.jpg", "https://s.test/2.jpg"])
        #expect(app.screenshots.map(\.title).first == "Moss Camera 11, phone 1")
        #expect(listing.skipped.count == 3)
        #expect(listing.skipped.allSatisfy { $0.part == .screenshot && $0.id == 11 && $0.position == 1 })
    }

    @Test(
        arguments: [
            (["trackId": nil], "it has no ID"),
            (["trackId": "-4"], "it has no ID"),
            (["trackId": "1e99"], "it has no ID"),
            (["trackName": nil], "it has no name"),
            (["trackName": "\" \\n \""], "it has no name"),
            (["trackViewUrl": nil], "it has no store page"),
            (["trackViewUrl": "\"apps/11\""], "its store page: "),
            (["trackViewUrl": "\"javascript:alert(1)\""], "its store page: "),
            (["artworkUrl512": nil, "artworkUrl100": nil, "artworkUrl60": nil], "it has no icon"),
            (["artworkUrl512": "\"data:image/png;base64,AA\""], "its icon: "),
            (["artworkUrl512": "\"https://\""], "its icon: "),
            (["kind": "\"song\""], "it is not an app but has the kind song"),
            (["kind": nil, "wrapperType": "\"artist\""], "it is not an app but artist"),
        ] as [([String: String?], String)]
    )
    func `an entry without what it needs is left out, with the reason`(
        _ changes: [String: String?],
        _ reason: String
    ) throws {
        #expect(try self.reason(changes).hasPrefix(reason))
    }

    @Test func `numbers may come as text, and Mac apps count`() throws {
        let app = try app(["trackId": "\"77\"", "kind": "\"mac-software\""])
        #expect(app.id == 77)
    }

    @Test func `the icon is the largest that is offered`() throws {
        #expect(try app(["artworkUrl512": nil]).icon.hasSuffix("/100x100bb.jpg"))
        #expect(try app(["artworkUrl512": "7", "artworkUrl100": "null"]).icon.hasSuffix("/60x60bb.jpg"))
    }

    @Test func `a broken entry costs only itself, and leaves its place empty`() throws {
        let listing = try listing(
            Fixtures.app(1),
            "null",
            "\"text\"",
            Fixtures.app(2, ["artworkUrl512": "\"nowhere\""]),
            "[]",
            Fixtures.app(1),
            Fixtures.app(3)
        )
        #expect(listing.entries.map(\.id) == [1, 3])
        #expect(listing.entries.map(\.position) == [1, 7])
        #expect(listing.skipped.map(\.position) == [2, 3, 4, 5, 6])
        #expect(listing.skipped[2].name == "Moss Camera 2")
        #expect(listing.skipped[2].description.hasPrefix("entry 4 (Moss Camera 2): its icon: "))
        #expect(listing.skipped[4].reason == "it is the same app as entry 1")
    }

    @Test func `no more entries count than were requested`() throws {
        let listing = try listing(Fixtures.app(1), Fixtures.app(2), Fixtures.app(3), limit: 2)
        #expect(listing.entries.map(\.id) == [1, 2])
    }

    @Test func `no results are no results`() throws {
        let listing = try listing()
        #expect(listing.entries.isEmpty && listing.skipped.isEmpty)
    }

    @Test func `nothing in a text steers a terminal`() throws {
        let app = try app([
            "trackName": "\"\\u200eWhats\\u200eUp  Evil\\u001b[2J\\u202e\\tName \\n two\"",
            "description": "\"a\\u0007b\\tc\\r\\rd\\u2028e\"",
        ])
        #expect(app.name == "WhatsUp Evil[2J Name two")
        #expect(app.summary == "ab c\n\nd\ne")
    }

    @Test(arguments: [
        (Fixtures.page, "not_json"), ("<?xml version=\"1.0\"?><plist/>", "not_json"),
        ("Service Unavailable", "not_json"), ("42", "not_json"), ("\"text\"", "not_json"),
        ("", "invalid_document"), ("\n \r\n\t", "invalid_document"),
        ("{}", "invalid_document"), ("[]", "invalid_document"), ("{\"results\": null}", "invalid_document"),
        ("{\"results\": {}}", "invalid_document"), ("{\"resultCount\": 0}", "invalid_document"),
        ("{\"errorMessage\": \"Invalid value(s) for key(s): [country]\"}", "invalid_document"),
        ("{\"results\": [] } trailing", "invalid_document"), ("{\"results\": [}", "invalid_document"),
    ])
    func `anything but a response of the store is an error, never no results`(
        _ text: String,
        _ code: String
    ) throws {
        let error = try #require(throws: CatalogError.self) {
            try AppStoreSearch.listing(Array(text.utf8), limit: 50)
        }
        #expect(error.code.rawValue == code)
        #expect(!error.message.isEmpty)
    }

    @Test func `nesting without an end is an error`() {
        let texts = [
            String(repeating: "[", count: 100_000),
            "{\"results\": [" + String(repeating: "{\"a\":", count: 100_000),
            "{\"results\": " + String(repeating: "[", count: 9_000) + String(repeating: "]", count: 9_000)
                + "}",
        ]
        for text in texts {
            let error = #expect(throws: CatalogError.self) {
                try AppStoreSearch.listing(Array(text.utf8), limit: 50)
            }
            #expect(error?.code == .invalidDocument)
        }
    }

    @Test func `a response that was cut anywhere is an error`() throws {
        let whole = Array(Fixtures.answer([Fixtures.app(1), Fixtures.app(2)]).utf8)
        let end = try #require(whole.lastIndex(of: UInt8(ascii: "}")))
        for length in stride(from: 0, through: end, by: 37) + [end] {
            let error = #expect(throws: CatalogError.self, "\(length)") {
                try AppStoreSearch.listing(Array(whole.prefix(length)), limit: 50)
            }
            #expect(error?.code == .invalidDocument)
        }
    }

    @Test func `a text that is no UTF-8 counts as missing, and a mark before the document as nothing`() throws
    {
        var bytes = Array(Fixtures.answer([Fixtures.app(1), Fixtures.app(2)]).utf8)
        #expect(try AppStoreSearch.listing([0xEF, 0xBB, 0xBF] + bytes, limit: 50).entries.count == 2)
        let place = try #require(bytes.firstIndex(of: UInt8(ascii: "M")))
        bytes[place] = 0xFF
        let listing = try AppStoreSearch.listing(bytes, limit: 50)
        #expect(listing.entries.map(\.id) == [2])
        #expect(listing.skipped.map(\.reason) == ["it has no name"])
    }
}
