import CalotypeCore
import Testing

@testable import CalotypeServer

@Suite
struct PresetTests {
    private static let plain = "plain/http://h/a"

    @Test func `the default preset holds until an option says otherwise`() throws {
        let add: (inout PathConfiguration) throws -> Void = {
            try $0.presets.add("default=rs:fill:10:20/q:30, wide = w:400")
        }
        let thumbnail = try Reading.thumbnail("/_/w:50/\(Self.plain)", add)
        #expect(thumbnail.transform.box == PixelSize(width: 50, height: 20))
        #expect(thumbnail.quality == 30)
        #expect(thumbnail.presets == ["default"])
        #expect(try Reading.thumbnail("/_/pr:wide/\(Self.plain)", add).presets == ["default", "wide"])
    }

    @Test func `a preset that uses itself stops there`() throws {
        let thumbnail = try Reading.thumbnail("/_/pr:a/\(Self.plain)") {
            try $0.presets.add("a=pr:b/w:1,b=pr:a:c/h:2,c=pr:c:a/q:3")
        }
        #expect(thumbnail.transform.box == PixelSize(width: 1, height: 2))
        #expect(thumbnail.quality == 3)
        #expect(thumbnail.presets == ["a", "b", "c"])
    }

    @Test func `presets that use presets do not grow without end`() throws {
        let chain = (0..<40).map { "p\($0)=pr:p\($0 + 1):p\($0 + 1)" }.joined(separator: ",")
        let refusal = try Reading.refusal("/_/pr:p0/\(Self.plain)") { try $0.presets.add("\(chain),p40=w:1") }
        #expect(refusal?.message.contains("1000 options") == true)
    }

    @Test func `only presets can be requested if so configured`() throws {
        let only: (inout PathConfiguration) throws -> Void = {
            $0.onlyPresets = true
            try $0.presets.add("default=q:9,a=w:3,b=h:4")
        }
        let thumbnail = try Reading.thumbnail("/_/a:b/\(Self.plain)@png", only)
        #expect(thumbnail.transform.box == PixelSize(width: 3, height: 4))
        #expect(thumbnail.format == .png && thumbnail.quality == 9)
        for path in [
            "w:3/\(Self.plain)", "a/w:3/\(Self.plain)", Self.plain, "a:/\(Self.plain)", "a",
            "pr:a/\(Self.plain)",
        ] {
            #expect(try Reading.refusal("/_/\(path)", only)?.status == 404, "\(path)")
        }
    }

    @Test func `a file has one preset a line`() throws {
        var book = PresetBook()
        try book.add(linesOf: "# sizes\n\n small = w:10/h:20 \r\nsoft=bl:2\n   # end")
        #expect(book.names == ["small", "soft"])
        let thumbnail = try Reading.options("pr:small:soft") { $0.presets = book }
        #expect(thumbnail.transform.edits.blur == 2 && thumbnail.transform.box.height == 20)
    }

    @Test(arguments: ["a", "a=", "=w:3", "a=w", "a=w:3/", "a=w:3/plain/b", "a b"])
    func `an entry that is not a preset is reported at the start`(entry: String) {
        var book = PresetBook()
        #expect(throws: ServerError.self) { try book.add(entry) }
    }

    @Test(arguments: ["a=w:x", "a=pr:b", "a=wmt:x", "a=msr:1", "a=wm:1"])
    func `an invalid preset is reported at the start`(entry: String) throws {
        var configuration = PathConfiguration()
        try configuration.presets.add("fine=w:3")
        try PathReader(configuration).check()
        try configuration.presets.add(entry)
        let failure = #expect(throws: ServerError.self) { try PathReader(configuration).check() }
        #expect(failure?.message.contains("'a'") == true)
    }
}
