import CalotypeCore
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite struct MediaSnifferTests {
    static let boxes: [(String, String)] = [
        ("avif", "image/avif"), ("heic", "image/heic"), ("isom", "video/mp4"), ("qt  ", "video/quicktime"),
        ("M4A ", "audio/mp4"), ("xyzw", "video/mp4"),
    ]

    static let others: [(start: [UInt8], type: String)] = [
        ([0x1A, 0x45, 0xDF, 0xA3, 0, 0, 0, 0, 0x77, 0x65, 0x62, 0x6D], "video/webm"),
        ([0x1A, 0x45, 0xDF, 0xA3, 0, 0, 0, 0, 0x6D], "video/x-matroska"),
        ([0x49, 0x44, 0x33, 3], "audio/mpeg"),
        ([0xFF, 0xFB, 0x90], "audio/mpeg"),
        (Array("RIFF....WAVE".utf8), "audio/wav"),
        (Array("%PDF-1.7".utf8), "application/pdf"),
        (Array("hello".utf8), "application/octet-stream"),
        ([], "application/octet-stream"),
        ([0, 0, 0, 200, 0x66, 0x74, 0x79, 0x70], "video/mp4"),
    ]

    @Test(arguments: [ImageFormat.jpeg, .png, .gif, .webp])
    func `pictures are recognised by their first bytes`(format: ImageFormat) throws {
        let bytes = try #require(TinyPicture.encoded(as: format))
        #expect(MediaSniffer.type(of: bytes).name == format.mediaType)
    }

    @Test(arguments: boxes) func `files in boxes are recognised by their brand`(brand: String, type: String) {
        let bytes: [UInt8] = [0, 0, 0, 20] + Array("ftyp\(brand)".utf8) + Array("0000mif1".utf8)
        #expect(MediaSniffer.type(of: bytes).name == type)
    }

    @Test(arguments: others)
    func `other files are recognised by their first bytes`(bytes: [UInt8], type: String) {
        #expect(MediaSniffer.type(of: bytes).name == type)
    }
}
