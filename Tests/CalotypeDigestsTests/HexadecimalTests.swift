import CalotypeDigests
import Testing

struct HexadecimalTests {
    @Test func `every byte has its two digits and comes back from them`() {
        let bytes = [UInt8](0...255)
        let text = Hexadecimal.text(bytes)
        #expect(text.count == 512)
        #expect(text.hasPrefix("000102030405060708090a0b0c0d0e0f10"))
        #expect(text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.bytes(text) == bytes)
        #expect(Hexadecimal.text([UInt8]()) == "")
        #expect(Hexadecimal.bytes("") == [])
    }

    @Test(arguments: ["0", "abc", "0G", "AB", " 0", "0x", "ä", "00 "])
    func `other text is no bytes`(_ text: String) {
        #expect(Hexadecimal.bytes(text) == nil)
    }
}
