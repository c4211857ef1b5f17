import Testing

@testable import CalotypeTerminal

struct KeyDecoderTests {
    static let table: [(bytes: String, keys: [KeyPress])] = [
        ("aQ/", [.character("a"), .character("Q"), .character("/")]),
        (" ", [.character(" ")]),
        ("é界😀", [.character("é"), .character("界"), .character("😀")]),
        ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]), ("\u{8}", [.backspace]),
        ("\u{3}\u{1A}\u{1}", [.control("c"), .control("z"), .control("a")]),
        ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
        ("\u{1B}OA\u{1B}OB\u{1B}OC\u{1B}OD", [.up, .down, .right, .left]),
        ("\u{1B}[H\u{1B}[F\u{1B}OH\u{1B}OF", [.home, .end, .home, .end]),
        ("\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~", [.home, .end, .home, .end]),
        ("\u{1B}[5~\u{1B}[6~\u{1B}[3~", [.pageUp, .pageDown, .delete]),
        ("\u{1B}[1;5A\u{1B}[1;2D\u{1B}[5;3~\u{1B}[3;5~", [.up, .left, .pageUp, .delete]),
        ("\u{1B}OM", [.enter]),
        // With Alt.
        ("\u{1B}x", [.character("x")]),
        // Function keys, Insert, focus, mouse, pasting: no keys of ours.
        ("\u{1B}OP\u{1B}[15~\u{1B}[[A\u{1B}[2~\u{1B}[I\u{1B}[O\u{1B}[<0;3;4M\u{1B}[<0;3;4m\u{1B}[Z", []),
        ("\u{1B}[200~paste\u{1B}[201~", "paste".map { .character($0) }),
        // Answers of the terminal.
        (
            "\u{1B}[?62;4c\u{1B}]11;rgb:0/0/0\u{7}\u{1B}_Gi=1;OK\u{1B}\\\u{1B}P1$r0m\u{1B}\\z",
            [.character("z")]
        ),
        ("\u{1B}\u{1B}[A", [.escape, .up]),
    ]

    @Test(arguments: table)
    func `bytes are keys, however they are split`(bytes: String, keys: [KeyPress]) {
        let all = Array(bytes.utf8)
        for cut in 0...all.count {
            var decoder = KeyDecoder()
            #expect(decoder.decode(all[..<cut]) + decoder.decode(all[cut...]) == keys, "cut at \(cut)")
            #expect(!decoder.isWaiting)
        }
        var decoder = KeyDecoder()
        #expect(all.flatMap { decoder.decode([$0]) } == keys)
    }

    @Test(
        arguments: [
            [0xFF], [0xC3, 0x28], [0x80], [0xE7, 0x95], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xF5], [0x00],
            [0x1F],
        ] as [[UInt8]]
    )
    func `bytes that are no text are passed over`(bytes: [UInt8]) {
        var decoder = KeyDecoder()
        let keys = decoder.decode(bytes) + decoder.decode(Array("q".utf8))
        #expect(keys.last == .character("q"))
        #expect(keys.allSatisfy { $0 == .character("q") || $0 == .character("(") })
    }

    @Test func `an escape character alone becomes a key after a pause`() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B]) == [])
        #expect(decoder.isWaiting)
        #expect(decoder.expire() == [.escape])
        #expect(!decoder.isWaiting)
        #expect(decoder.decode(Array("[A".utf8)) == [.character("["), .character("A")])
    }

    @Test(arguments: [("\u{1B}[", "["), ("\u{1B}O", "O")])
    func `an escape sequence that does not continue is a key with Alt`(bytes: String, key: String) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array(bytes.utf8)) == [])
        #expect(decoder.expire() == key.map { .character($0) })
    }

    @Test(arguments: ["\u{1B}[12;", "\u{1B}P12", "\u{E9}"])
    func `what was cut off is nothing`(text: String) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array(text.utf8).dropLast(text == "\u{E9}" ? 1 : 0)) == [])
        #expect(decoder.expire() == [])
        #expect(decoder.decode(Array("k".utf8)) == [.character("k")])
    }

    @Test func `a sequence without an end holds a bounded number of bytes`() {
        var decoder = KeyDecoder()
        _ = decoder.decode(Array("\u{1B}[".utf8) + Array(repeating: UInt8(ascii: "1"), count: 33))
        #expect(decoder.decode(Array("j".utf8)) == [.character("j")])
    }
}
