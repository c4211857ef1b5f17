/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    /// Pixels from left to right.
    public var width: Int
    /// Pixels from top to bottom.
    public var height: Int

    /// Creates a size of `width` by `height` pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The number of pixels, `Int.max` where it does not fit.
    public var pixelCount: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : product
    }

    /// The same size with width and height exchanged.
    public var transposed: PixelSize {
        PixelSize(width: height, height: width)
    }

    /// The size as `WIDTHxHEIGHT`.
    public var description: String {
        "\(width)x\(height)"
    }
}

/// Pixels in memory: RGBA with 8 bits a channel, in sRGB, alpha straight (not premultiplied).
///
/// Rows follow each other from the top without padding, ``rowBytes`` each; a pixel is four bytes: red, green, blue,
/// alpha. The buffer belongs to the value, as that of any array: a copy shares it until one of both is changed.
public struct Bitmap: Hashable, Sendable {
    /// Width and height in pixels.
    public let size: PixelSize
    /// Four bytes a pixel, `size.height * rowBytes` in all.
    public var rgba: [UInt8]

    /// Creates a bitmap of `size` from `rgba`, which holds four bytes for each pixel.
    public init(size: PixelSize, rgba: [UInt8]) {
        precondition(rgba.count == size.pixelCount * 4, "\(rgba.count) bytes are not \(size) pixels")
        self.size = size
        self.rgba = rgba
    }

    /// The bytes from the start of a row to the start of the next: four times the width.
    public var rowBytes: Int { size.width * 4 }
}
