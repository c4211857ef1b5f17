import CalotypeCore

/// A picture for kitty's graphics protocol: its number, and its pixels in Base64.
///
/// The number lets a picture that moves be placed anew without being sent again, and one that went be deleted.
/// Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/
struct KittyImage: Sendable {
    let number: UInt32
    let size: PixelSize
    /// Whether a pixel has a fourth byte, alpha.
    let hasAlpha: Bool
    /// All pixels from the top, in Base64.
    let payload: [UInt8]
}
