import CalotypeCore
import CalotypeFiles
import Synchronization

/// An image for kitty's graphics protocol: its number, and its pixels in Base64.
///
/// libchafa also writes this format, but without numbers. Then each image that moves by a row would be sent
/// again, and none could be deleted. Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/
struct KittyImage: Sendable {
    private static let lastNumber = Atomic<UInt32>(0)

    /// Identifies the image to the terminal; never 0.
    let number: UInt32
    let size: PixelSize
    /// Whether a pixel has a fourth byte for alpha.
    let hasAlpha: Bool
    /// All pixels, starting at the top, in Base64.
    let payload: [UInt8]

    init(_ bitmap: Bitmap) {
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        size = bitmap.size
        hasAlpha = stride(from: 3, to: bitmap.rgba.count, by: 4).contains { bitmap.rgba[$0] != 255 }
        payload = Base64.encode(hasAlpha ? bitmap.rgba : Self.withoutAlpha(bitmap))
    }

    /// Omits the alpha channel of an opaque image, which saves a quarter of the bytes.
    private static func withoutAlpha(_ bitmap: Bitmap) -> [UInt8] {
        let count = bitmap.size.pixelCount
        return unsafe [UInt8](unsafeUninitializedCapacity: count * 3) { rgb, length in
            for pixel in 0..<count {
                for channel in 0..<3 { unsafe rgb[pixel * 3 + channel] = bitmap.rgba[pixel * 4 + channel] }
            }
            length = count * 3
        }
    }
}

extension Frame.Placement {
    /// The image for kitty's protocol, if the picture is one.
    var kitty: KittyImage? {
        if case .kitty(let image) = picture.content { image } else { nil }
    }

    /// Whether the picture is drawn as pixels over the text.
    var isPixels: Bool {
        if case .symbols = picture.content { false } else { true }
    }

    /// Returns a number that identifies the place of a picture on the screen.
    func number(on screen: ScreenSize) -> Int { row * screen.columns + column + 1 }
}

extension KittyImage {
    /// Deletes all visible images.
    static let deletionOfAll = "\u{1B}_Ga=d,d=A,q=2\u{1B}\\"

    /// Deletes the image everywhere, with its pixels.
    var deletion: String { "\u{1B}_Ga=d,d=I,i=\(number),q=2\u{1B}\\" }

    /// Deletes the image in one place.
    func deletion(ofPlacement placement: Int) -> String {
        "\u{1B}_Ga=d,d=i,i=\(number),p=\(placement),q=2\u{1B}\\"
    }

    /// Sends the pixels in chunks of at most 4,096 bytes, as the protocol requires.
    var transmission: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + payload.count / 200 + 128)
        for start in stride(from: 0, to: payload.count, by: 4_096) {
            let end = min(start + 4_096, payload.count)
            let more = end < payload.count ? 1 : 0
            let format = "a=t,q=2,i=\(number),f=\(hasAlpha ? 32 : 24),s=\(size.width),v=\(size.height),"
            bytes += Array("\u{1B}_G\(start == 0 ? format : "")m=\(more);".utf8)
            bytes += payload[start..<end]
            bytes += Array("\u{1B}\\".utf8)
        }
        return bytes
    }

    /// Shows the image, which was already sent, at the cursor; the cursor does not move.
    func placement(number placement: Int, columns: Int, rows: Int) -> [UInt8] {
        Array("\u{1B}_Ga=p,q=2,i=\(number),p=\(placement),c=\(columns),r=\(rows),C=1\u{1B}\\".utf8)
    }
}
