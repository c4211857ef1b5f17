import CalotypeCodec
import CalotypeCore
import TaskFlow

extension Site {
    private static let pictureCacheControl = "public, max-age=2592000"
    /// The longest side of a small picture.
    private static let smallSide = 150

    /// What drawn pictures can be encoded as, the usual format first.
    var drawnFormats: [ImageFormat] { codec == nil ? [.png] : [.jpeg, .png, .webp] }

    /// What the names of icons and screenshots end in where the origin chooses.
    var artworkFormat: String { drawnFormats[0].fileExtension }

    /// The picture kept under `key`, or what `draw` draws.
    func drawn(
        _ key: String,
        _ format: ImageFormat,
        _ draw: @escaping @Sendable () -> Bitmap
    ) async throws -> ServedPicture {
        try await kept("\(key).\(format.fileExtension)") { [self] in
            let bytes = try await drawnBytes(format, draw)
            return ServedPicture(
                bytes: bytes,
                mediaType: format.mediaType,
                cacheControl: Self.pictureCacheControl
            )
        }
    }

    private func drawnBytes(
        _ format: ImageFormat,
        _ draw: @escaping @Sendable () -> Bitmap
    ) async throws -> [UInt8] {
        guard let codec else { return try await drawing.run { PNGFile.bytes(of: draw()) } }
        let bitmap = try await drawing.run { draw() }
        switch format {
        case .jpeg: return try await codec.encode(bitmap, as: .jpeg(quality: 90))
        case .webp: return try await codec.encode(bitmap, as: .webp(quality: 86))
        default: return try await codec.encode(bitmap, as: .png)
        }
    }

    /// The picture called `name`, small enough for a list of many; as it is, where it cannot be made smaller.
    func smallPicture(named name: String) async throws -> ServedPicture? {
        if let small = try await pictures.smallPicture(named: name, side: Self.smallSide) { return small }
        guard let picture = try await pictures.picture(named: name) else { return nil }
        guard let codec else { return picture }
        return try await kept("small/\(name)") {
            let spec = RenditionSpec(.fit(Self.smallSide, Self.smallSide), .jpeg)
            let made = try await codec.renditions(of: .bytes(picture.bytes), as: [spec])
            guard case .encoded(let bytes, let format) = made.first?.content else { return picture }
            return ServedPicture(
                bytes: bytes,
                mediaType: format.mediaType,
                lastModified: picture.lastModified
            )
        }
    }
}
