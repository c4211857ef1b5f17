import CalotypeOrigin
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AppSearchTests {
    struct Found: Decodable {
        let resultCount: Int
        let results: [App]
    }

    struct App: Decodable {
        let trackId: Int
        let trackName: String
        let bundleId: String
        let artistName: String
        let primaryGenreName: String
        let kind: String
        let artworkUrl100: String
        let artworkUrl512: String
        let screenshotUrls: [String]
        let ipadScreenshotUrls: [String]
        let formattedPrice: String?
        let price: Double?
        let currency: String
        let averageUserRating: Double?
        let userRatingCount: Int?
        let fileSizeBytes: String
        let releaseDate: String
        let trackViewUrl: String
        let description: String
    }

    private struct Complaint: Decodable {
        let errorMessage: String
    }

    @Test func `a response has the fields of the real service, and blank lines before it`() async throws {
        try await withTestOrigin { _, client in
            let answer = await client.get("/search?term=camera&limit=3")
            #expect(answer.field("Content-Type") == "text/javascript; charset=utf-8")
            #expect(answer.field("Cache-Control") == "max-age=86400")
            #expect(answer.body.starts(with: Array("\n\n\n{".utf8)))
            let tag = try #require(answer.field("ETag"))
            #expect(await client.get("/search?term=camera&limit=3", "If-None-Match: \(tag)").status == 304)
            let found: Found = try await client.json("/search?term=camera&limit=3")
            #expect(found.resultCount == 3)
            for app in found.results {
                #expect(app.trackName.contains("Camera"))
                #expect(app.kind == "software")
                #expect(Int(app.fileSizeBytes) != nil)
                #expect(try Date(app.releaseDate, strategy: .iso8601) > .distantPast)
                #expect(app.artworkUrl512.hasSuffix("/512x512bb.png"))
                #expect(await client.get(url: app.trackViewUrl).status == 200)
            }
        }
    }

    @Test(
        arguments: [
            ("cafe", "Café Lumière – Photo Journal"), ("CAFE%CC%81", "Café Lumière – Photo Journal"),
            ("lumiere+cafe", "Café Lumière – Photo Journal"), ("%F0%9F%8C%88", "🌈 Rainbow Camera"),
            ("%E3%82%AB%E3%83%A1%E3%83%A9", "夜空カメラ"), ("R%26D+notes", "R&D Notes + Sketches"),
            ("LUKASZ", "Žofie & Łukasz – Zpěvník"), ("100%25+focus", "100% Focus? Yes!"),
            ("aero+weather", "Ærø Weather"), ("aerodrome", nil), ("ær", "Ærø Weather"),
            ("%22quoted%22", "“Quoted” Poems"),
            ("x", "X"),
            ("nothingatall", nil), ("camera+nothingatall", nil), ("", nil), ("+", nil),
            ("camera?entity=software", nil),
        ] as [(String, String?)]
    )
    func `a term is found in any spelling, and all its words must be there`(
        term: String,
        name: String?
    ) async throws {
        try await withTestOrigin { _, client in
            let encoded = term.unicodeScalars.allSatisfy(\.isASCII) ? term : "%C3%A6r"
            let found: Found = try await client.json("/search?term=\(encoded)")
            #expect(found.results.first?.trackName == name)
            #expect(found.resultCount == found.results.count)
        }
    }

    @Test func `makers and genres are found too, after names`() async throws {
        try await withTestOrigin { _, client in
            let makers: Found = try await client.json("/search?term=kestrel&limit=200")
            #expect(makers.resultCount > 3)
            #expect(makers.results.allSatisfy { $0.artistName == "Kestrel & Co" })
            let photos: Found = try await client.json("/search?term=photo&limit=200")
            let isNamed = photos.results.map { $0.trackName.contains("Photo") }
            #expect(isNamed.firstIndex(of: false) ?? 0 > 5)
            #expect(isNamed.lastIndex(of: true) ?? 0 <= isNamed.firstIndex(of: false) ?? 0)
            let two: Found = try await client.json("/search?term=photo%20video&limit=200")
            #expect(two.results.contains { $0.primaryGenreName == "Photo & Video" })
        }
    }

    @Test func `there are gaps as in real responses`() async throws {
        try await withTestOrigin { _, client in
            var apps: [App] = []
            for term in ["photo", "music", "games", "productivity", "weather", "travel", "food"] {
                apps += (try await client.json("/search?term=\(term)&limit=200") as Found).results
            }
            #expect(apps.count > 150)
            #expect(apps.contains { $0.averageUserRating == nil && $0.userRatingCount == nil })
            #expect(apps.contains { $0.averageUserRating == 0 && $0.userRatingCount == 0 })
            #expect(apps.contains { $0.price == nil && $0.formattedPrice == nil })
            #expect(apps.contains { $0.price == 0 && $0.formattedPrice == "Free" })
            #expect(apps.contains { $0.screenshotUrls.isEmpty && $0.ipadScreenshotUrls.isEmpty })
            #expect(apps.contains { $0.screenshotUrls.isEmpty && !$0.ipadScreenshotUrls.isEmpty })
            #expect(apps.contains { !$0.screenshotUrls.isEmpty && $0.ipadScreenshotUrls.isEmpty })
            #expect(Set(apps.map(\.trackId)).count == Set(apps.map(\.bundleId)).count)
        }
    }

    @Test(arguments: [
        ("us", "USD", "$1.99"), ("GB", "GBP", "£1.99"), ("de", "EUR", "1,99\u{a0}€"), ("nl", "EUR", "€ 1,99"),
        ("jp", "JPY", "¥320"), ("sg", "USD", "$1.99"),
    ])
    func `prices are those of the country`(country: String, currency: String, price: String) async throws {
        try await withTestOrigin { _, client in
            let found: Found = try await client.json("/search?term=photo&limit=200&country=\(country)")
            #expect(found.results.allSatisfy { $0.currency == currency })
            #expect(found.results.contains { $0.formattedPrice == price })
        }
    }

    @Test func `entities and limits choose from what is found`() async throws {
        try await withTestOrigin(configure: { $0.apps = AppStoreCollection(count: 1200) }) { _, client in
            for (limit, count) in [("", 50), ("&limit=1", 1), ("&limit=200", 200)] {
                let found: Found = try await client.json("/search?term=photo\(limit)")
                #expect(found.resultCount == count)
            }
            let mac: Found = try await client.json("/search?term=photo&entity=macSoftware&limit=200")
            #expect((5..<200).contains(mac.resultCount))
            #expect(mac.results.allSatisfy { $0.kind == "mac-software" })
            let tablet: Found = try await client.json("/search?term=music&entity=iPadSoftware&limit=200")
            let phone: Found = try await client.json("/search?term=music&entity=software&limit=200")
            #expect(tablet.resultCount < phone.resultCount)
            #expect(Set(tablet.results.map(\.trackId)).isSubset(of: phone.results.map(\.trackId)))
        }
    }

    @Test(arguments: [
        ("search?term=x&country=xx", "country"), ("search?term=x&country=", "country"),
        ("search?term=x&limit=0", "limit"), ("search?term=x&limit=201", "limit"),
        ("search?term=x&limit=a", "limit"),
        ("search?term=x&entity=song", "resultEntity"), ("lookup?id=abc", "id"),
        ("lookup?id=1&country=99", "country"),
    ])
    func `an invalid value receives 400 with the parameter's name`(request: String, key: String) async throws
    {
        try await withTestOrigin { _, client in
            let answer = await client.get("/\(request)")
            #expect(answer.status == 400)
            let complaint: Complaint = try await client.json("/\(request)")
            #expect(complaint.errorMessage == "Invalid value(s) for key(s): [\(key)]")
        }
    }

    @Test func `apps are looked up by number and by bundle, several at a time`() async throws {
        try await withTestOrigin { _, client in
            let found: Found = try await client.json("/search?term=music&limit=2")
            let (a, b) = (found.results[0], found.results[1])
            let both: Found = try await client.json("/lookup?id=\(b.trackId),5,\(a.trackId)")
            #expect(both.results.map(\.trackId) == [b.trackId, a.trackId])
            let named: Found = try await client.json("/lookup?bundleId=\(a.bundleId)&country=de")
            #expect(named.results.map(\.trackName) == [a.trackName])
            #expect(named.results[0].currency == "EUR")
            #expect((try await client.json("/lookup?id=5") as Found).resultCount == 0)
        }
    }

    @Test func `the same seed makes the same apps, another one others`() async throws {
        var names: [[String]] = []
        for seed: UInt64 in [1, 1, 2] {
            try await withTestOrigin(configure: { $0.apps = AppStoreCollection(seed: seed) }) { _, client in
                names.append((try await client.json("/search?term=photo") as Found).results.map(\.trackName))
            }
        }
        #expect(names[0] == names[1])
        #expect(names[0] != names[2])
    }

    @Test func `after as many searches as are allowed in a minute, the rest is refused without a word`()
        async throws
    {
        try await withTestOrigin(configure: { $0.apiLimit = 3 }) { _, client in
            for path in ["/search?term=a", "/lookup?id=1", "/search?term=b"] {
                #expect(await client.get(path).status == 200)
            }
            for path in ["/search?term=a", "/lookup?id=1"] {
                let answer = await client.get(path)
                #expect(answer.status == 403)
                #expect(answer.body.isEmpty)
                #expect(answer.field("Retry-After") == nil)
            }
            #expect(await client.get("/albums/1/photos").status == 200)
        }
    }

    @Test func `a list names the icons of all apps`() async throws {
        try await withTestOrigin(configure: { $0.apps = AppStoreCollection(count: 30) }) { origin, client in
            let list = String(decoding: await client.get("/icons.txt").body, as: UTF8.self)
            let urls = list.split(separator: "\n")
            #expect(Set(urls).count == 30)
            #expect(urls.allSatisfy { $0.hasPrefix(origin.url("/apps/icons/")) })
            #expect(await client.get(url: String(urls[0])).status == 200)
        }
    }
}
