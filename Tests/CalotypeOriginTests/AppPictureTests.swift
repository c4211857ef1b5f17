import CalotypeCodec
import CalotypeCore
import CalotypeOrigin
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AppPictureTests {
    @Test func `icons have the size that their name says, and differ`() async throws {
        try await withTestOrigin { _, client in
            let apps = (try await client.json("/search?term=music&limit=4") as AppSearchTests.Found).results
            var bodies: Set<[UInt8]> = []
            for app in apps {
                let url = app.artworkUrl100.replacing("100x100bb", with: "32x24bb")
                let answer = await client.get(url: url)
                #expect(answer.field("Content-Type") == "image/png")
                #expect(answer.field("Cache-Control") == "public, max-age=2592000")
                let facts = try #require(try ImageProbe.facts(fromPrefix: answer.body, isComplete: true))
                #expect(facts.size == PixelSize(width: 32, height: 24))
                let tag = try #require(answer.field("ETag"))
                let path = "/" + url.split(separator: "/").dropFirst(2).joined(separator: "/")
                #expect(await client.get(path, "If-None-Match: \(tag)").status == 304)
                bodies.insert(answer.body)
            }
            #expect(bodies.count == 4)
        }
    }

    @Test func `screenshots are there, each another`() async throws {
        try await withTestOrigin { _, client in
            let apps = (try await client.json("/search?term=photo&limit=50") as AppSearchTests.Found).results
            let app = try #require(
                apps.first { $0.screenshotUrls.count > 2 && !$0.ipadScreenshotUrls.isEmpty }
            )
            var bodies: Set<[UInt8]> = []
            for url in app.screenshotUrls {
                bodies.insert(await client.get(url: url.replacing("392x696bb", with: "40x70bb")).body)
            }
            #expect(bodies.count == app.screenshotUrls.count)
            let tablet = app.ipadScreenshotUrls[0].replacing("1024x768bb", with: "64x48bb")
            let facts = try ImageProbe.facts(
                fromPrefix: await client.get(url: tablet).body,
                isComplete: true
            )
            #expect(facts?.size == PixelSize(width: 64, height: 48))
        }
    }

    @Test(arguments: [
        ("png", ImageFormat.png), ("jpg", .jpeg), ("webp", .webp),
    ])
    func `with a codec other formats are drawn too`(end: String, format: ImageFormat) async throws {
        try await withImageCodec { codec in
            try await withTestOrigin(configure: { $0.codec = codec }) { _, client in
                let found: AppSearchTests.Found = try await client.json("/search?term=music&limit=1")
                let url = try #require(found.results.first?.artworkUrl512)
                #expect(url.hasSuffix("/512x512bb.jpg"))
                let answer = await client.get(url: url.replacing("512x512bb.jpg", with: "48x48bb.\(end)"))
                let facts = try #require(try ImageProbe.facts(fromPrefix: answer.body, isComplete: true))
                #expect(facts.format == format)
                #expect(facts.size == PixelSize(width: 48, height: 48))
            }
        }
    }

    @Test(arguments: [
        ("15x15bb.png", 400), ("1025x16bb.png", 400), ("512x512.png", 400), ("512bb.png", 400),
        ("x.png", 400),
        ("64x64bb.jpg", 400), ("64x64bb.gif", 400), ("64x64bb", 400), ("", 400),
    ])
    func `an invalid name is refused`(name: String, status: Int) async throws {
        try await withTestOrigin { _, client in
            let found: AppSearchTests.Found = try await client.json("/search?term=music&limit=1")
            let id = try #require(found.results.first?.trackId)
            #expect(await client.get("/apps/icons/\(id)/\(name)").status == status)
            #expect(await client.get("/apps/icons/1/64x64bb.png").status == 404)
            #expect(await client.get("/apps/pages/1").status == 404)
            #expect(await client.get("/apps/screenshots/\(id)/0/64x64bb.png").status == 400)
        }
    }

    @Test func `an album's thumbnails are small, and the same pictures`() async throws {
        try await withImageCodec { codec in
            let large = Bitmap(
                size: PixelSize(width: 600, height: 300),
                rgba: [UInt8](repeating: 200, count: 600 * 300 * 4)
            )
            let files = ["a.jpg": try await codec.encode(large, as: .jpeg)]
            try await withTestOrigin(files, configure: { $0.codec = codec }) { _, client in
                let small = await client.get("/small/a.jpg?photo=1")
                let facts = try #require(try ImageProbe.facts(fromPrefix: small.body, isComplete: true))
                #expect(facts.size == PixelSize(width: 150, height: 75))
                #expect(await client.get("/small/b.jpg").status == 404)
            }
        }
    }
}

extension AppPictureTests {
    @Test func `icons drawn beforehand are those that are served`() async throws {
        try await withTestOrigin(configure: { $0.apps = AppStoreCollection(count: 2) }) { origin, client in
            let list = String(decoding: await client.get("/icons.txt").body, as: UTF8.self)
            let url = try #require(list.split(separator: "\n").first.map(String.init))
            let before = await client.get(url: url)
            try await origin.drawIcons()
            #expect(await client.get(url: url).body == before.body)
            let late = origin.faultyURL("latency-1") + url.dropFirst(origin.baseURL.count)
            #expect(await client.get(url: late).body == before.body)
        }
    }
}
