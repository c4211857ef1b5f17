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

    /// The number of pixels, clamped to `Int.max`.
    public var pixelCount: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : product
    }

    /// The number of pixels of several pictures of this size, clamped to `Int.max`.
    package func pixelCount(of pictures: Int) -> Int {
        let (product, overflow) = pixelCount.multipliedReportingOverflow(by: pictures)
        return overflow ? .max : product
    }

    /// The size with width and height swapped.
    public var transposed: PixelSize {
        PixelSize(width: height, height: width)
    }

    /// The size as `WIDTHxHEIGHT`.
    public var description: String {
        "\(width)x\(height)"
    }
}

/// Pixels in memory: RGBA with 8 bits per channel, in sRGB, with straight (not premultiplied) alpha.
///
/// Rows follow each other from the top without padding, ``rowBytes`` each; a pixel is four bytes: red, green,
/// blue, alpha. The buffer behaves like an array's: a copy shares it until either of them is changed.
public struct Bitmap: Hashable, Sendable {
    /// Width and height in pixels.
    public let size: PixelSize
    /// Four bytes per pixel, `size.height * rowBytes` in total.
    public var rgba: [UInt8]

    /// Creates a bitmap of `size` from `rgba`, which has four bytes for each pixel.
    public init(size: PixelSize, rgba: [UInt8]) {
        precondition(rgba.count == size.pixelCount * 4, "\(rgba.count) bytes are not \(size) pixels")
        self.size = size
        self.rgba = rgba
    }

    /// The number of bytes from the start of a row to the start of the next: four times the width.
    public var rowBytes: Int { size.width * 4 }
}
