import CalotypeCore
import Testing

@testable import CalotypeCatalog

struct CatalogTextTests {
    @Test func `a search asks for what the store documents`() throws {
        var query = AppStoreQuery("fox 🦊 & \"co\"+", country: "DE", limit: 7)
        query.language = "de_de"
        #expect(
            try query.url(below: "http://s.test") == "http://s.test/search"
                + "?term=fox%20%F0%9F%A6%8A%20%26%20%22co%22%2B&entity=software&country=de&limit=7&lang=de_de"
        )
    }

    @Test func `a lookup asks for what the store documents`() throws {
        let ids = AppStoreLookup(names: .ids([3, 14]), country: "us", language: nil)
        #expect(try ids.url(below: "http://s.test") == "http://s.test/lookup?id=3,14&country=us")
        let names = AppStoreLookup(names: .bundleIDs(["a.b", "c&d"]), country: "us", language: nil)
        #expect(try names.url(below: "http://s.test") == "http://s.test/lookup?bundleId=a.b,c%26d&country=us")
    }

    @Test(arguments: [
        AppStoreQuery(""), AppStoreQuery(" \n"), AppStoreQuery("a", country: "usa"),
        AppStoreQuery("a", country: "ü1"),
        AppStoreQuery("a", country: ""), AppStoreQuery("a", limit: 0), AppStoreQuery("a", limit: 201),
        AppStoreQuery("a", language: "en us"), AppStoreQuery("a", language: "e"),
    ])
    func `an invalid query is refused before any request is sent`(_ query: AppStoreQuery) {
        let error = #expect(throws: CatalogError.self) { try query.url(below: "http://s.test") }
        #expect(error?.code == .invalidQuery)
    }

    @Test func `a term is as long as a URL can hold, and no longer`() throws {
        _ = try AppStoreQuery(String(repeating: "🦊", count: 500)).url(below: "http://s.test")
        let long = AppStoreQuery(String(repeating: "a", count: 2001))
        let error = #expect(throws: CatalogError.self) { try long.url(below: "http://s.test") }
        #expect(error?.code == .invalidQuery)
    }

    @Test(arguments: [
        (4.53452, "4.53"), (4.535, "4.54"), (5, "5.00"), (1, "1.00"), (0.9996, "1.00"), (0.5, "0.500"),
        (0.05, "0.0500"), (3.999, "4.00"), (4.995, "5.00"), (0, "0.00"), (2.5, "2.50"),
    ])
    func `a rating has three significant digits`(_ average: Double, _ text: String) {
        #expect(AppStoreEntity.Rating(average: average, count: 1).text == text)
    }

    @Test(arguments: [
        ("https://i.test/a/512x512bb.jpg", 256, "https://i.test/a/256x256bb.jpg"),
        ("https://i.test/a/100x100bb.png", 64, "https://i.test/a/64x64bb.png"),
        ("https://i.test/a/392x696bb.webp", 100, "https://i.test/a/100x100bb.webp"),
        ("https://i.test/a/512x512bb-75.jpg", 32, "https://i.test/a/32x32bb-75.jpg"),
        ("https://i.test/a/512x512.jpg?x=/1", 32, "https://i.test/a/32x32.jpg?x=/1"),
        ("https://i.test/a/512x512bb.jpg", 1, "https://i.test/a/16x16bb.jpg"),
        ("https://i.test/a/512x512bb.jpg", 9999, "https://i.test/a/1024x1024bb.jpg"),
        ("https://i.test/a/icon.jpg", 256, "https://i.test/a/icon.jpg"),
        ("https://i.test/a/512x512bb", 256, "https://i.test/a/512x512bb"),
        ("https://i.test/512x512bb.jpg/icon", 256, "https://i.test/512x512bb.jpg/icon"),
        ("https://i.test/a?p=/512x512bb.jpg", 256, "https://i.test/a?p=/512x512bb.jpg"),
        ("https://i.test/a/99999x512bb.jpg", 256, "https://i.test/a/99999x512bb.jpg"),
    ])
    func `an icon's size is replaced where its URL names one`(_ url: String, _ side: Int, _ resized: String) {
        let app = AppStoreEntity(id: 1, name: "n", storePage: "https://s.test", icon: url)
        #expect(app.iconURL(side: side) == resized)
        #expect(app.iconPicture(side: side) == CatalogPicture(url: resized, title: "n"))
    }

    @Test(arguments: [
        ("fox", RobotStyle(), "http://r.test/fox.png"),
        ("a/b c&🤖?", RobotStyle(), "http://r.test/a%2Fb%20c%26%F0%9F%A4%96%3F.png"),
        ("..", RobotStyle(), "http://r.test/...png"),
        (
            "fox", RobotStyle(kind: .kittens, background: .any, size: PixelSize(width: 50, height: 60)),
            "http://r.test/fox.png?set=set4&bgset=any&size=50x60"
        ),
        ("fox", RobotStyle(kind: .robots, format: .jpg), "http://r.test/fox.jpg?set=set1"),
    ])
    func `a request for a robot uses Robohash's parameters`(
        _ text: String,
        _ style: RobotStyle,
        _ url: String
    ) throws {
        #expect(try style.url(of: text, below: "http://r.test") == url)
    }

    @Test(arguments: [
        ("", RobotStyle()),
        ("fox", RobotStyle(size: PixelSize(width: 0, height: 9))),
        ("fox", RobotStyle(size: PixelSize(width: 9, height: 5000))),
    ])
    func `an invalid robot is refused`(_ text: String, _ style: RobotStyle) {
        let error = #expect(throws: CatalogError.self) { try style.url(of: text, below: "http://r.test") }
        #expect(error?.code == .invalidQuery)
    }
}
