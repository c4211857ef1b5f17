public import CalotypeCore

/// Complete encoded pictures of one colour, made without any library: a test's source bytes at no cost.
///
/// Each is a valid file of its format that every decoder reads. For pictures that show something see ``DrawnPicture``.
public enum TinyPicture: Sendable {
    /// A red, a green and a blue part of 0 to 255.
    public struct Colour: Hashable, Sendable {
        /// The parts.
        public let red, green, blue: UInt8

        /// Creates a colour.
        public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }

        /// A warm orange.
        public static let orange = Colour(222, 128, 40)
    }

    /// A picture in one of the formats that are made here: JPEG, PNG, WebP and GIF; `nil` for another one.
    public static func encoded(
        as format: ImageFormat,
        size: PixelSize = PixelSize(width: 1, height: 1),
        colour: Colour = .orange
    ) -> [UInt8]? {
        switch format {
        case .jpeg: jpeg(size, colour)
        case .png: png(size, colour)
        case .webp: webp(size, colour)
        case .gif: gif(size, colour)
        case .avif, .heic, .tiff: nil
        }
    }

    /// A PNG of eight-bit RGB, 72 bytes for one pixel; larger ones are not compressed.
    public static func png(
        _ size: PixelSize = PixelSize(width: 1, height: 1),
        _ colour: Colour = .orange
    ) -> [UInt8] {
        TinyPNG.encoded(size, colour)
    }

    /// A baseline JPEG without subsampling; six bits for each eight by eight pixels.
    public static func jpeg(
        _ size: PixelSize = PixelSize(width: 1, height: 1),
        _ colour: Colour = .orange
    ) -> [UInt8] {
        TinyJPEG.encoded(size, colour)
    }

    /// A lossless WebP of at most 16,384 pixels a side; a few dozen bytes, whatever its size.
    public static func webp(
        _ size: PixelSize = PixelSize(width: 1, height: 1),
        _ colour: Colour = .orange
    ) -> [UInt8] {
        TinyWebP.encoded(size, colour)
    }

    /// A GIF of one frame; half a byte a pixel and more.
    public static func gif(
        _ size: PixelSize = PixelSize(width: 1, height: 1),
        _ colour: Colour = .orange
    ) -> [UInt8] {
        TinyGIF.encoded(size, colour)
    }
}
