import CalotypeCore
import Synchronization

/// A picture for kitty's graphics protocol: its number, and its pixels in Base64.
///
/// libchafa writes this format too, but without numbers: each picture that moves by a row would be sent anew, and none
/// could be deleted. Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/
struct KittyImage: Sendable {
    private static let lastNumber = Atomic<UInt32>(0)

    /// Tells the terminal's pictures apart; never 0.
    let number: UInt32
    let size: PixelSize
    /// Whether a pixel has a fourth byte, alpha.
    let hasAlpha: Bool
    /// All pixels from the top, in Base64.
    let payload: [UInt8]

    init(_ bitmap: Bitmap) {
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        size = bitmap.size
        hasAlpha = stride(from: 3, to: bitmap.rgba.count, by: 4).contains { bitmap.rgba[$0] != 255 }
        payload = Base64.encode(hasAlpha ? bitmap.rgba : Self.withoutAlpha(bitmap))
    }

    /// A third of what is sent is saved where nothing is transparent.
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
