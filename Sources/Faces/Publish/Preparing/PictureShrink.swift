internal import CalotypeCore
internal import Glibc

/// How small a picture has to become for a server.
struct PictureShrink: Sendable {
    private let bytes: ByteCount?
    private let pixels: Int?

    init(_ limits: MediaLimits) {
        bytes = limits.imageBytes ?? limits.fileBytes
        pixels = limits.imagePixels
    }

    /// The limits, for people.
    var told: String {
        [bytes.map { "\($0)" }, pixels.map { "\($0) pixels" }].compactMap(\.self).joined(separator: " and ")
    }

    /// Whether a picture is small enough.
    func allows(_ length: ByteCount?, _ size: PixelSize) -> Bool {
        if let bytes, let length, length > bytes { return false }
        if let pixels, size.width * size.height > pixels { return false }
        return true
    }

    /// The largest box of the same shape that has no more pixels than allowed.
    func box(for size: PixelSize) -> PixelSize {
        guard let pixels, size.width * size.height > pixels else { return size }
        return scaled(size, by: sqrt(Double(pixels) / Double(size.width * size.height)))
    }

    /// A box for the next try after a picture of `size` had `length`.
    func box(after length: ByteCount, _ size: PixelSize) -> PixelSize {
        guard let bytes, length > bytes else { return box(for: size) }
        return scaled(size, by: 0.95 * sqrt(Double(bytes.bytes) / Double(length.bytes)))
    }

    private func scaled(_ size: PixelSize, by factor: Double) -> PixelSize {
        PixelSize(
            width: max(Int(Double(size.width) * factor), 1),
            height: max(Int(Double(size.height) * factor), 1)
        )
    }

    /// The output that keeps the format, where it is one that can be written.
    static func output(for format: ImageFormat) -> OutputFormat {
        switch format {
        case .png: .png
        case .webp: .webp
        case .avif: .avif
        case .jpeg, .heic, .gif, .tiff: .jpeg(quality: 90)
        }
    }
}
