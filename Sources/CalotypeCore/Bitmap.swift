/// Pixels: rows from the top, each of `width` times four bytes red, green, blue, alpha; sRGB, alpha not premultiplied.
public struct Bitmap: Hashable, Sendable {
    /// Width and height in pixels.
    public let size: PixelSize
    /// Four bytes a pixel, `size.width * size.height * 4` in all.
    public var rgba: [UInt8]

    /// Creates a bitmap of `size` from `rgba`, which holds four bytes for each pixel.
    public init(size: PixelSize, rgba: [UInt8]) {
        precondition(rgba.count == size.pixelCount * 4, "\(rgba.count) bytes are not \(size) pixels")
        self.size = size
        self.rgba = rgba
    }
}
