import Testing

@testable import CalotypeTerminal

struct WallTextTests {
    @Test(arguments: [
        ("one two three", 7, ["one two", "three"]), ("", 5, [""]), ("a\n\nb", 5, ["a", "", "b"]),
        ("abcdefgh ij", 3, ["abc", "def", "gh", "ij"]), ("日本語 テキスト", 6, ["日本語", "テキス", "ト"]), ("日", 1, ["日"]),
        ("a b", 0, ["a", "b"]),
    ])
    func `text is broken at blanks, and within words that are too long`(
        _ text: String,
        _ columns: Int,
        _ lines: [String]
    ) {
        #expect(TextLines.wrap(text, columns: columns) == lines)
    }

    @Test(arguments: [
        (80, " 1/50  loading 0  loaded 0  memory 0  disk 0  cancelled 0  failed 0"),
        (120, " 1/50  loading 0  loaded 0  memory 0  disk 0  cancelled 0  failed 0"),
        (30, " 1/50  loading 0  failed 0"),
        (14, " 1/50"), (1, " 1/50"),
    ])
    func `the most important figures come first in a narrow terminal`(_ columns: Int, _ text: String) {
        let machine = WallSamples.machine(WallSamples.pictures(50))
        let status = WallStatusText(machine, WallTally.Figures()).text(columns: columns)
        #expect(status.hasPrefix(text))
        #expect(columns < 100 || status.hasSuffix("q quit "))
    }

    @Test(arguments: [
        (["https://a.test/x/one.png", "https://b.test/two.png?size=1"], ["one.png", "two.png"]),
        (["https://a.test/icons/1/256.png", "https://a.test/icons/2/256.png"], ["1", "2"]),
        (["https://a.test/icons/1/256.png"], ["256.png"]),
        (["https://a.test", "http://b.test/"], ["https://a.test", "http://b.test/"]),
        (["https://a.test/x.png", "https://a.test/x.png"], ["x.png", "x.png"]), ([], []),
        (["", "?"], ["", "?"]), (["http://bob:secret@a.test/"], ["http://a.test/"]),
    ])
    func `pictures are named by the part of their URLs that distinguishes them`(
        _ urls: [String],
        _ titles: [String]
    ) {
        #expect(PictureTitles.titles(of: urls) == titles)
    }
}
