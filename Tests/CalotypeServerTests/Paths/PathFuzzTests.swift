import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeServer

/// Targets that nobody would write.
@Suite
struct PathFuzzTests {
    private static let pieces =
        [
            "/", ":", "%3A", "%", "@", ".", "?", "plain/", "http://", "http:/", "local:///", "data:,",
            "aHR0cDovL2gvYS5qcGc",
            "=", "-", "..", "%2e%2e", "0", "1", "-1", "99999999999999999999", "1e309", "nan", "0.5", "é",
            "\u{0}", "\u{FFFD}",
            "sm", "fp", "no", "re", "ff00ff", "jpg", "best", "_", "info/", "pr:", "default", "\n", "\"", "*",
            "unsafe/",
        ] + OptionName.allNames

    private static let readers: [PathReader] = {
        var open = PathConfiguration()
        (open.allowsSecurityOptions, open.allowsLocal, open.allowsData) = (true, true, true)
        open.watermark = Reading.watermark
        open.base64IncludesFileName = true
        open.rewriting = SourceRewriting(
            baseURL: "http://b",
            replacements: [URLReplacement("a*:*/", with: "$1${2}$")]
        )
        var presets = PathConfiguration()
        presets.onlyPresets = true
        if (try? presets.presets.add("default=w:3/pr:1,1=pr:default/q:5")) == nil {
            Issue.record("no presets")
        }
        presets.allowedSources = (try? AllowedSources(["http://*.h/a*/", "local:///x"])) ?? AllowedSources()
        return [PathReader(PathConfiguration()), PathReader(open), PathReader(presets)]
    }()

    private static let samples = [
        "/_/rs:fill:300:200:1:1:no:5:5/g:fp:0.5:0.5/c:100:100:sowe/t:10:ff00ff/pd:1:2:3:4/plain/http://h/a.jpg@png",
        "/info/_/q:80/fq:webp:70/skp:jpg/exp:99999/fn:aGk:1/cb:x/wm:0.5:re:1:1/aHR0cDovL2gv/YS5qcGc.webp",
    ]

    /// Reads `target` with all readers; a request or a refusal comes, and both are whole.
    private func read(_ target: String) {
        for reader in Self.readers {
            do throws(ServerError) {
                let thumbnail = try reader.thumbnail(target, now: 1_000)
                #expect(!thumbnail.source.isEmpty)
                #expect((1...100).contains(thumbnail.quality(for: .jpeg)))
                #expect(thumbnail.transform.outOfRange == nil)
                #expect((0...ThumbnailDraft.mostSide).contains(thumbnail.transform.box.width))
                let value = ContentDisposition(thumbnail, format: .jpeg).value
                #expect(value.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
                _ = try? thumbnail.request(format: .webp)
            } catch {
                #expect((400..<500).contains(error.status))
                #expect(error.message.utf8.count < 1_000)
            }
        }
    }

    @Test(arguments: 1...8)
    func `pieces in any order make a request or a refusal`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        for _ in 0..<400 {
            let count = Int.random(in: 0..<24, using: &dice)
            var target = Bool.random(using: &dice) ? "/_/" : "/"
            for _ in 0..<count { target += Self.pieces.randomElement(using: &dice) ?? "" }
            read(target)
        }
    }

    @Test(arguments: 1...8)
    func `paths with a few bytes changed make a request or a refusal`(seed: UInt64) {
        var dice = SplitMix64(seed: ~seed)
        for _ in 0..<400 {
            var bytes = Array((Self.samples.randomElement(using: &dice) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...6, using: &dice) {
                let place = Int.random(in: 0..<bytes.count, using: &dice)
                switch Int.random(in: 0..<3, using: &dice) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &dice)
                case 1: bytes.remove(at: place)
                default:
                    bytes.insert(contentsOf: (Self.pieces.randomElement(using: &dice) ?? "").utf8, at: place)
                }
            }
            read(String(decoding: bytes, as: UTF8.self))
        }
    }
}
