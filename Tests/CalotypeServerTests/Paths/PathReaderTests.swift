import CalotypeCore
import CalotypeServer
import Testing

@Suite
struct PathReaderTests {
    private static let encoded = "aHR0cDovL2gvYS5qcGc"

    @Test(arguments: [
        "/_/rs:fill:300:200/plain/http%3A%2F%2Fh%2Fa.jpg@png",
        "/_/rs:fill:300:200/plain/http://h/a.jpg@png",
        "/_/rs:fill:300:200/\(encoded).png",
        "/_/rs:fill:300:200/aHR0/cDovL2gv/YS5qcGc.png",
        "/_/rs:fill:300:200/\(encoded)==.png",
        "/_/rs:fill:300:200/plain/http://h/a.jpg@png?x=1",
        "/_/rs%3Afill%3A300%3A200/plain/http://h/a.jpg@png",
        "/_/rs:fill:300:200/plain/http:/h/a.jpg@png",
        "/_//rs:fill:300:200/plain/http:/h/a.jpg@png",
        "/_/rs:fill:300:200/f:png/plain/http://h/a.jpg@",
        "/_/rs:fill:300:200/ext:jpg/\(encoded).png",
    ])
    func `all spellings of a path ask for the same`(target: String) throws {
        var thumbnail = ThumbnailRequest(source: "http://h/a.jpg")
        thumbnail.transform = Transform(mode: .fillPartly, box: PixelSize(width: 300, height: 200))
        thumbnail.transform.edits.kept = .copyright
        thumbnail.format = .png
        thumbnail.formatQualities = [.webp: 79, .avif: 63]
        #expect(try Reading.thumbnail(target) == thumbnail)
    }

    @Test(arguments: [
        ("plain/http://h/a", "http://h/a"), ("plain/http://h/a%20b+c", "http://h/a b+c"),
        ("plain/http://h/a%40b", "http://h/a@b"), ("plain/http://h/a%3Fb%3Dc", "http://h/a?b=c"),
        ("plain/http://h/a%3A/b", "http://h/a:/b"), ("plain/http://h/a:/b", "http://h/a:/b"),
        ("plain/http://h/a%2520b", "http://h/a%20b"), ("plain/http://h/a//b", "http://h/a//b"),
        ("plain/http://h/w:1/x", "http://h/w:1/x"), ("plain/http://h/plain/b", "http://h/plain/b"),
        ("plain/http://h/%E9", "http://h/%E9"), ("plain/http://h/%C3%A9", "http://h/é"),
        ("plain/https:/h/a", "https://h/a"), ("plain/HTTP:/h/a", "HTTP://h/a"),
        ("w:3/plain/http:/h/a/http:/b", "http://h/a/http:/b"),
        ("aHR0cDovL2gvZT_Dqd8", "http://h/e?%C3%A9%DF"),
    ])
    func `a source is decoded once`(rest: String, source: String) throws {
        #expect(try Reading.thumbnail("/_/\(rest)").source == source)
    }

    @Test func `a slash is given back to local sources too`() throws {
        let thumbnail = try Reading.thumbnail("/_/plain/local:/a/b.jpg") { $0.allowsLocal = true }
        #expect(thumbnail.source == "local:///a/b.jpg")
        #expect(thumbnail.localPath?.components == ["a", "b.jpg"])
    }

    @Test(arguments: [
        "/", "", "/_", "/_/", "//plain/http://h/a", "/_/w:3", "/_/w:3/", "/_/plain/", "/_/plain",
        "/_/\(encoded).png.webp", "/_/plain/http://h/a@png@webp", "/_/.png", "/_/plain/@png", "/_/=.png",
        "/_/plain/http://h/%zz", "/_/plain/http://h/%4", "/_/a", "/_/aHR0cDovL2gvYS5qcGc+",
        "/_/fit/300/200/ce/0/\(encoded)",
        "/_/fill-down/300/plain/http://h/a", "/_/plain/http://h/a%0Ab", "/_/plain/http://h/a%00b",
        "/_/enc/\(encoded)", "/_/-/w:3/plain/http://h/a", "/_/plain/http://h/a@xyz", "/_/\(encoded)/w:3",
    ])
    func `what is no path is refused`(target: String) throws {
        let refusal = try #require(try Reading.refusal(target))
        #expect(refusal.status == 404)
        #expect(refusal.publicMessage == "Invalid URL")
        #expect(!refusal.message.isEmpty)
    }

    @Test(arguments: [
        ("/_/fit/300/200/ce/0/\(encoded)", "rs:fit:WIDTH:HEIGHT"), ("/_/enc/\(encoded)", "not supported"),
        ("/_/-/w:3/plain/http://h/a", "not supported"),
        ("/_/widht:3/plain/http://h/a", "did you mean width?"),
        ("/_/wmt:x/plain/http://h/a", "not supported"), ("/health", "/health"), ("/api/x/y", "/api"),
    ])
    func `a refusal says what to do`(target: String, word: String) throws {
        let refusal = try #require(try Reading.refusal(target))
        #expect(refusal.message.contains(word))
    }

    @Test(arguments: [
        ("file:///etc/passwd", 404, "Source is unreachable"), ("gopher://h/", 404, "Source is unreachable"),
        ("data:image/png;base64,AA", 404, "Source is unreachable"),
        ("local:///a.jpg", 404, "Source is unreachable"),
        ("s3://bucket/a", 404, "Source is unreachable"), ("a.jpg", 404, "Source is unreachable"),
    ])
    func `other schemes are refused`(source: String, status: Int, message: String) throws {
        let refusal = try #require(try Reading.refusal("/_/plain/\(source)"))
        #expect(refusal.status == status)
        #expect(refusal.publicMessage == message)
        #expect(refusal.code == .unsupportedScheme)
    }

    @Test func `a data URL is a source where it is allowed`() throws {
        let thumbnail = try Reading.thumbnail("/_/plain/data:image/png;base64,AAEC") { $0.allowsData = true }
        let request = try thumbnail.request(format: .jpeg)
        #expect(request.source == .bytes([0, 1, 2]))
    }

    @Test func `long targets receive a quick response`() throws {
        let segments = "/_/" + String(repeating: "w:1/", count: 10_000) + "plain/http://h/a"
        let started = ContinuousClock.now
        for target in [
            segments, "/_/" + String(repeating: "a/", count: 30_000),
            "/_/plain/http://h/" + String(repeating: "%", count: 60_000),
            "/_/" + String(repeating: "plain/", count: 10_000), "/" + String(repeating: ":", count: 65_000),
            "/_/rs" + String(repeating: ":", count: 65_000) + "/a",
            "/_/pr:" + String(repeating: "x:", count: 30_000) + "/a",
            "/_/" + String(repeating: "%3A", count: 20_000) + "/a", String(repeating: "/", count: 65_000),
            "/_/" + String(repeating: "x", count: 70_000),
            "/_/plain/http://h/" + String(repeating: "@", count: 60_000),
        ] {
            let refusal = try #require(try Reading.refusal(target))
            #expect((400..<500).contains(refusal.status))
            #expect(refusal.message.utf8.count < 500)
        }
        // Milliseconds each; a way that grows with the square of the length takes many seconds.
        #expect(ContinuousClock.now - started < .seconds(10))
    }

    @Test func `a target that is too long has its own status`() throws {
        let refusal = try #require(try Reading.refusal("/_/" + String(repeating: "a", count: 1 << 16)))
        #expect(refusal.status == 414)
    }

    @Test func `a prefix is taken off whole`() throws {
        let configure: (inout PathConfiguration) -> Void = { $0.prefix = "/img" }
        #expect(try Reading.thumbnail("/img/_/w:3/plain/http://h/a", configure).transform.box.width == 3)
        for target in [
            "/_/plain/http://h/a", "/image/_/plain/http://h/a", "/img", "/img?/_/plain/http://h/a",
        ] {
            #expect(try Reading.refusal(target, configure)?.status == 404)
        }
    }

    @Test(arguments: [
        ("/health", TargetKind.reserved("health")), ("/api/v1?x", .reserved("api")),
        ("/app", .reserved("app")),
        ("/metrics", .reserved("metrics")), ("/favicon.ico", .reserved("favicon.ico")),
        ("/info/_/plain/http://h/a", .information), ("/apis/plain/http://h/a", .picture), ("/", .picture),
    ])
    func `the first segment says what a target is for`(target: String, kind: TargetKind) throws {
        #expect(PathReader(PathConfiguration()).kind(of: target) == kind)
        guard case .reserved = kind else { return }
        #expect(try Reading.refusal(target + "/plain/http://h/a")?.status == 404)
    }

    @Test func `facts are requested by the same path after /info`() throws {
        var thumbnail = try Reading.thumbnail("/info/_/pg:2/plain/http://h/a")
        #expect(thumbnail.purpose == .information)
        #expect(thumbnail.transform.edits.frame == 2)
        thumbnail.purpose = .picture
        #expect(try Reading.thumbnail("/_/pg:2/plain/http://h/a") == thumbnail)
    }

    @Test func `another text can separate arguments`() throws {
        for separator in [";", "--"] {
            let options = ["rs", "fill", "3", "4"].joined(separator: separator)
            let thumbnail = try Reading.options(options) { $0.argumentsSeparator = separator }
            #expect(thumbnail.transform.box == PixelSize(width: 3, height: 4))
        }
    }

    @Test func `the file name behind an encoded source means nothing where it is switched on`() throws {
        let target = "/_/aHR0cDovL2gv/YS5qcGc.png/puppy.jpg"
        #expect(try Reading.thumbnail(target) { $0.base64IncludesFileName = true }.source == "http://h/a.jpg")
        #expect(try Reading.refusal(target)?.status == 404)
        #expect(
            try Reading.thumbnail("/_/\(Self.encoded)") { $0.base64IncludesFileName = true }.source
                == "http://h/a.jpg"
        )
    }

    @Test func `a browser's client hints come before presets and options`() throws {
        let hints = ClientHints(pixelRatio: "2.0", width: "301")
        let target = "/_/plain/http://h/a"
        let thumbnail = try Reading.thumbnail(target, hints: hints)
        #expect(thumbnail.transform.box.width == 151)
        #expect(thumbnail.transform.edits.pixelRatio == 2)
        #expect(thumbnail.transform.mode == .fit)
        #expect(try Reading.thumbnail("/_/w:7/plain/http://h/a", hints: hints).transform.box.width == 7)
        let preset = try Reading.thumbnail(target, hints: hints) { try $0.presets.add("default=w:9/dpr:3") }
        #expect(preset.transform.box.width == 9 && preset.transform.edits.pixelRatio == 3)
        for (ratio, width) in [("9", "0"), ("-1", "x"), ("nan", "-5"), ("", ""), ("inf", "70000")] {
            #expect(ClientHints(pixelRatio: ratio, width: width) == .none)
        }
    }
}
