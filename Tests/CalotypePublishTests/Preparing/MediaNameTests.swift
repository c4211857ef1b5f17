import Testing

@testable import CalotypePublish

@Suite struct MediaNameTests {
    static let names: [(String, String)] = [
        ("/home/me/photo.jpg", "photo.jpg"), ("photo.JPEG", "photo.JPEG"), ("photo", "photo.jpg"),
        ("photo.png", "photo.jpg"), ("../../etc/passwd", "passwd.jpg"),
        ("a\r\nSet-Cookie: x.jpg", "aSet-Cookie: x.jpg"),
        ("..", "media.jpg"), ("", "media.jpg"), ("C:\\pictures\\a.jpg", "a.jpg"), ("\"q\".jpg", "\"q\".jpg"),
        ("\u{202E}gpj.exe.jpg", "gpj.exe.jpg"), ("katze 🐈.jpg", "katze 🐈.jpg"), (".hidden", "hidden.jpg"),
        ("\u{1F469}\u{200D}\u{1F373}.jpg", "\u{1F469}\u{200D}\u{1F373}.jpg"),
        ("می\u{200C}خواهم.jpg", "می\u{200C}خواهم.jpg"),
        ("a\u{200D}b\u{200C}.jpg", "ab.jpg"),
    ]

    @Test(arguments: names)
    func `names are made safe, and end as their type does`(given: String, name: String) {
        #expect(MediaName.cleaned(given, type: MediaType("image/jpeg")) == name)
    }

    @Test func `a long name keeps its end`() {
        let name = MediaName.cleaned(
            String(repeating: "ä", count: 300) + ".jpg",
            type: MediaType("image/jpeg")
        )
        #expect(name.utf8.count <= 200)
        #expect(name.hasSuffix("ä.jpg"))
        let accents = "e" + String(repeating: "\u{301}", count: 200)
        #expect(MediaName.cleaned(accents, type: MediaType("image/jpeg")) == "media.jpg")
    }
}
