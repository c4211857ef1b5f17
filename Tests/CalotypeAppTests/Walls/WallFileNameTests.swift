import CalotypeBulk
import CalotypeCore
import CalotypeOrigin
import CalotypeTestKit
import Testing

@testable import CalotypeApp

/// The names of a wall's images as files.
@Suite(.timeLimit(.minutes(1)))
struct WallFileNameTests {
    @Test(arguments: [
        ("http://h.test/a/Boat.JPG?size=2#top", "Boat"), ("http://h.test/a/b.c/d.tar.gz", "d.tar.gz"),
        ("http://h.test/Berg%20%C3%BC.webp", "Berg \u{FC}"),
        ("http://h.test/%2e%2e%2fetc%2fpasswd", "passwd"),
        ("http://h.test/a%5c..%5cb.png", "b"), ("http://h.test/..", "image"),
        ("http://h.test/.hidden.png", "hidden"),
        ("http://h.test/", "h.test"), ("", "image"), ("no url", "no url"),
        ("http://h.test/CON.png", "image-CON"),
        ("http://h.test/nul.tar", "image-nul.tar"), ("http://h.test/-rf.png", "rf"),
        ("http://h.test/a%00b%0Ac%1Bd.png", "a-b-c-d"), ("http://h.test/%E2%80%AEgnp.exe.png", "gnp.exe"),
        ("http://h.test/a:b*c%3Fd%22e%3Cf%3Eg%7Ch.png", "a-b-c-d-e-f-g-h"), ("http://h.test/a.%20.jpg", "a"),
        ("http://h.test/%FF.jpg", "FF"), ("http://user:secret@h.test/", "h.test"),
    ])
    func `a name has nothing that is unsafe`(url: String, stem: String) {
        #expect(WallFileNames.stem(of: url) == stem)
    }

    @Test func `a long name is cut between characters`() {
        let stem = WallFileNames.stem(of: "http://h.test/" + String(repeating: "%C3%BC", count: 400) + ".png")
        #expect(stem == String(repeating: "\u{FC}", count: 50))
    }

    @Test func `files of a zip have the names in their URLs, each once, in the order of the list`()
        async throws
    {
        let png = try await DrawnPicture.encoded(PixelSize(width: 8, height: 8), as: .png)
        let pictures = ["photo.jpg": LiveApp.photo, "photo.png": png, "Photo.JPG": LiveApp.photo]
        try await LiveApp.open(pictures: pictures) { app in
            let names = ["photo.jpg", "photo.jpg?2", "photo.png", "Photo.JPG", "photo-2.jpg"]
            let urls = names.map { app.origin.url("/pictures/\($0)") }
            let wall = try await WallTests.load(app, .init(urls: urls, side: 32))
            let zip = try await app.send(.get, "/api/walls/\(wall.id)/zip")
            let members = try await UnpackedZip.members(of: zip.bytes)
            let files = ["photo.jpg", "photo-2.jpg", "photo-3.png", "Photo-4.jpg"]
            #expect(members.map(\.name) == files + ["report.jsonl"])
            let report = try await app.send(.get, "/api/walls/\(wall.id)/report").text
            for file in files { #expect(report.contains("\"file\":\"\(file)\"")) }
        }
    }

    @Test func `ten thousand equal names are ten thousand names`() {
        let items = (0..<10_000).map { ListItem(index: $0, url: "http://h.test/a.jpg?\($0)") }
        let names = WallFileNames(items)
        #expect(Set(items.indices.map { names.stem(of: $0) }).count == items.count)
    }
}
