import CalotypeCore
import Testing

@testable import CalotypeServer

/// Paths that were read before.
@Suite
struct KnownOrdersTests {
    private static let path = "/_/rs:fit:32:32/plain/http://user%40h:80/a.jpg@png"

    @Test func `a path that is requested again is read once`() throws {
        let thumbnails = KnownThumbnails(PathReader(PathConfiguration()))
        let first = try thumbnails.thumbnail(Self.path, now: 1, hints: .none)
        #expect(try thumbnails.thumbnail(Self.path, now: 2, hints: .none) === first)
        #expect(first.thumbnail == (try PathReader(PathConfiguration()).thumbnail(Self.path, now: 1)))
        #expect(first.host == "h")
        #expect(first.disposition(.png) == "inline; filename=\"a.png\"")
        #expect(first.disposition(.webp) == "inline; filename=\"a.webp\"")
    }

    @Test(arguments: ["exp:50", "exp:50/exp:0", "pr:soon"])
    func `a path that expires is read each time, and not good for longer than it says`(
        options: String
    ) throws {
        var configuration = PathConfiguration()
        try configuration.presets.add("soon=exp:50")
        let thumbnails = KnownThumbnails(PathReader(configuration))
        let path = "/_/\(options)/plain/http://h/a.jpg"
        _ = try thumbnails.thumbnail(path, now: 49, hints: .none)
        #expect(thumbnails.count == 0)
        #expect(throws: ServerError.self) { try thumbnails.thumbnail(path, now: 51, hints: .none) }
    }

    @Test func `a browser's client hints distinguish requests`() throws {
        let thumbnails = KnownThumbnails(PathReader(PathConfiguration()))
        let hints = ClientHints(pixelRatio: "2", width: nil)
        let plain = try thumbnails.thumbnail(Self.path, now: 1, hints: .none)
        let dense = try thumbnails.thumbnail(Self.path, now: 1, hints: hints)
        #expect(plain.thumbnail.transform.edits.pixelRatio == 1)
        #expect(dense.thumbnail.transform.edits.pixelRatio == 2)
        #expect(try thumbnails.thumbnail(Self.path, now: 1, hints: .none) === plain)
    }

    @Test func `what is refused or very long is not kept`() throws {
        let thumbnails = KnownThumbnails(PathReader(PathConfiguration()))
        #expect(throws: ServerError.self) { try thumbnails.thumbnail("/_/x:1", now: 1, hints: .none) }
        let long = String(repeating: "a", count: 8 << 10)
        _ = try thumbnails.thumbnail("/_/plain/http://h/\(long)", now: 1, hints: .none)
        #expect(thumbnails.count == 0)
    }

    @Test func `no number of paths makes it grow without end`() throws {
        let thumbnails = KnownThumbnails(PathReader(PathConfiguration()))
        for number in 0..<5_000 {
            _ = try thumbnails.thumbnail("/_/plain/http://h/\(number)", now: 1, hints: .none)
        }
        #expect(thumbnails.count == 4_096)
    }
}
