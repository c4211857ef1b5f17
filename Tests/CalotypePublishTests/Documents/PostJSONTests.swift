import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypePublish

@Suite struct PostJSONTests {
    private static func post(_ json: String, in folder: String = "/home/me") throws -> Post {
        try Post(json: Array(json.utf8), named: "post.json", relativeTo: folder)
    }

    private static func message(_ json: String) throws -> String {
        let error = try #require(throws: CalotypeError.self) { try post(json) }
        #expect(error.code == .invalidDocument)
        return error.message
    }

    @Test func `a post has what its JSON says, and paths begin where the file is`() throws {
        let post = try Self.post(
            """
            {"text": "A day \\u00fcber \\ud83d\\ude00\\n", "visibility": "private", "language": "pt-BR",
             "content_warning": "Boats",
             "schedule": "2026-05-01T09:00:00.5+02:00",
             "media": [{"file": "photos/1.jpg", "alt": "Two boats", "focus": [0, -0.5]},
                       {"file": "/film.mp4", "thumbnail": "film.jpg", "alt": null}]}
            """
        )
        #expect(post.text == "A day über 😀\n" && post.visibility == .followers && post.language == "pt-BR")
        #expect(post.contentWarning == "Boats")
        #expect(post.schedule == WallTime(secondsSince1970: 1_777_618_800))
        var first = Media.file("/home/me/photos/1.jpg", altText: "Two boats")
        first.focus = Media.Focus(x: 0, y: -0.5)
        var second = Media.file("/film.mp4")
        second.thumbnail = .file(path: "/home/me/film.jpg")
        #expect(post.media == [first, second])
    }

    @Test func `a text alone is a post, and so is a medium alone`() throws {
        #expect(try Self.post(#"{"text":"hello"}"#) == Post("hello"))
        #expect(
            try Self.post(#"{"media":[{"file":"a.jpg"}]}"#, in: "") == Post("", media: [.file("a.jpg")])
        )
    }

    @Test(arguments: [
        (#"{"txt": "a"}"#, #"post.json:1:2: unknown name "txt"; did you mean "text"?"#),
        (
            "{\"media\": [\n  {\"alt\": \"ä\", \"colour\": 1, \"ä\": 1}]}",
            #"post.json:2:16: unknown name "colour"; a medium can have file, alt, focus, thumbnail"#
        ),
        (#"{"text": 7}"#, #"post.json:1:10: "text" must be text in quotes, not a number"#),
        (#"{"text": " "}"#, #"post.json:1:1: the post is empty; add "text" or "media""#),
        (#"[]"#, "post.json:1:1: a post must be an object in braces, not an array"),
        (
            #"{"media": {"file": "a"}}"#,
            #"post.json:1:11: "media" must be an array in brackets, not an object"#
        ),
        (
            #"{"media": [{"alt": "a"}]}"#,
            #"post.json:1:12: the medium has no "file"; add the path of the file to send"#
        ),
        (
            #"{"media": [{"file": "https://example.org/a.jpg"}]}"#,
            "post.json:1:21: this is a URL; media must be files on this machine"
        ),
        (
            #"{"media": [{"file": "a", "focus": [0, 1.1]}]}"#,
            #"post.json:1:39: "focus" must be two numbers from -1 (left, bottom) to 1 (right, top)"#
        ),
        (
            #"{"media": [{"file": "a", "focus": [0]}]}"#,
            #"post.json:1:35: "focus" must be two numbers in brackets, such as [0, 0.5]"#
        ),
        (
            #"{"text": "a", "visibility": "publc"}"#,
            #"post.json:1:29: "visibility" must be one of public, unlisted, private, direct; did you mean "public"?"#
        ),
        (
            #"{"text": "a", "language": "english please"}"#,
            #"post.json:1:27: "language" must be a language tag such as en or pt-BR"#
        ),
        (
            #"{"text": "a", "schedule": "2026-05-01T09:00:00"}"#,
            #"post.json:1:27: "schedule" must be a date and time with an offset, such as 2026-05-01T09:00:00+02:00"#
        ),
    ])
    func `an invalid post is reported with the position and what is expected there`(
        json: String,
        message: String
    ) throws {
        #expect(try Self.message(json) == message)
    }

    @Test(arguments: [
        ("", "1:1: it ends too early"), ("{\n\"text\": \"a\"\n", "3:1: it ends too early"),
        (#"{"text": "a",}"#, "1:14: expected a name in double quotes"),
        (#"{"text": "a" "media": []}"#, "1:14: expected a comma or }"),
        (#"{"text" "a"}"#, "1:9: expected a colon after the name"),
        (#"{"text": a}"#, "1:10: this is not a value; text must be in quotes"),
        (#"{"text": "a"} x"#, "1:15: there is text after the end"),
        (#"{"text": "a"#, "1:10: the quotes are not closed"),
        (
            "{\"text\": \"a\nb\"}",
            "1:12: write line breaks and other control characters in escaped form, such as \\n"
        ),
        (#"{"text": "\x"}"#, "1:11: expected one of \" \\ / b f n r t u after the backslash"),
        (#"{"text": "\ud83d."}"#, "1:11: this is half of a surrogate pair"),
        (#"{"text": "a", "text": "b"}"#, #"1:15: "text" is used twice"#),
        (
            #"{"media": [{"file": "a", "focus": [01, 0]}]}"#,
            "1:36: this is not a value; text must be in quotes"
        ),
    ])
    func `damaged JSON is reported with its line and character`(json: String, message: String) throws {
        #expect(try Self.message(json) == "post.json:\(message)")
    }

    private static let whole = Array(
        #"{"text":"A \u00fc\ud83d\ude00\n","language":"en","schedule":"2026-05-01T09:00:00Z","media":[{"file":"a","focus":[-0.5,1e-1]}]}"#
            .utf8
    )

    @Test func `a post that is cut anywhere is an error`() throws {
        _ = try Post(json: Self.whole, relativeTo: "")
        for length in 0..<Self.whole.count {
            #expect(throws: CalotypeError.self) {
                try Post(json: Array(Self.whole.prefix(length)), relativeTo: "")
            }
        }
    }

    @Test func `whatever is damaged, what is read is JSON for others too`() {
        var read = 0
        for (index, random) in zip(0..., noise(20_000, seed: 7)) {
            var bytes = Self.whole
            bytes[(index * 31 + Int(random)) % bytes.count] = random
            guard (try? Post(json: bytes, relativeTo: "")) != nil else { continue }
            read += 1
            #expect(throws: Never.self) { try JSONDecoder().decode(Anything.self, from: Data(bytes)) }
        }
        #expect((100..<19_000).contains(read))
    }

    private struct Anything: Decodable {
        let text: String?
        let language: String?
    }

    @Test func `an endless post is refused before it fills the memory`() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(try Self.message(deep) == "post.json:1:33: it is nested too deeply")
        let media = Array(repeating: #"{"file":"a"}"#, count: 1001).joined(separator: ",")
        #expect(try Self.message(#"{"media":[\#(media)]}"#).hasSuffix("a post has at most 1000 media"))
        let text = String(repeating: "a", count: 1 << 20)
        #expect(try Self.message(#"{"text":"\#(text)"}"#) == "post.json: it is longer than 1.0 MB")
        #expect(throws: CalotypeError.self) { try Post(json: [0x22, 0xFF, 0x22], relativeTo: "") }
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2024-02-29t23:59:60z", 1_709_251_200),
        ("2000-03-01 00:00:00-00:30", 951_870_600), ("2023-02-29T00:00:00Z", nil),
        ("2024-02-29T24:00:00Z", nil),
        ("2024-02-29T00:00:00.Z", nil), ("2024-2-29T00:00:00Z", nil), ("2024-12-31T00:00:00+1:00", nil),
        ("2024-12-31T00:00:00Zx", nil),
    ])
    func `moments are those of the calendar`(text: String, seconds: Int?) {
        #expect(RFC3339.seconds(text) == seconds)
    }

    @Test func `all files that cannot be sent are reported together`() async throws {
        try await withScratchFolder { folder in
            _ = try SourceFile.writing([1], to: "\(folder)/good.jpg")
            _ = try SourceFile.writing([], to: "\(folder)/empty.jpg")
            let json = #"""
                {"media": [{"file": "good.jpg", "thumbnail": "lost.png"}, {"file": "."}, {"file": "empty.jpg"},
                           {"file": "lost.png"}, {"file": "/dev/null"}]}
                """#
            let faults = try Self.post(json, in: folder).unusableFiles()
            #expect(
                faults.map(\.description) == [
                    "\(folder)/lost.png: no such file", "\(folder)/.: this is a folder",
                    "\(folder)/empty.jpg: the file is empty", "/dev/null: this is not a regular file",
                ]
            )
        }
    }
}
