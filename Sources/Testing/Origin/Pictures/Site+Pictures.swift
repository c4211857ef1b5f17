import CalotypeCodec
import CalotypeCore
import CalotypeHTTPMessages
import TaskFlow

extension Site {
    /// Returns the path of the picture with this number.
    ///
    /// Numbers beyond the last picture start over.
    ///
    /// An origin without pictures has robots instead.
    func picturePath(number: Int) -> String {
        guard let name = pictureName(number: number) else { return "/robots/picture-\(number).png" }
        return "/pictures/\(PercentEscapes.encodedPath(name))"
    }

    /// Returns the path of the picture with this number, small enough for a list of many.
    func smallPath(number: Int) -> String {
        guard let name = pictureName(number: number) else {
            return "/robots/size_150x150/picture-\(number).png"
        }
        return "/small/\(PercentEscapes.encodedPath(name))"
    }

    /// Returns a path that fails without delay.
    func brokenPath(number: Int) -> String {
        let name = PercentEscapes.encodedPath(pictureName(number: number) ?? "")
        switch number % 4 {
        case 0 where !name.isEmpty: return "/html/\(name)"
        case 1 where !name.isEmpty: return "/half/\(name)"
        case 2: return "/status/410"
        default: return "/status/404"
        }
    }

    /// Returns the picture with this number.
    func picture(number: Int) async throws -> ServedPicture {
        if let name = pictureName(number: number), let picture = try await pictures.picture(named: name) {
            return picture
        }
        throw OriginError.refusal(status: 404, message: "There is no image with this number.")
    }

    private func pictureName(number: Int) -> String? {
        let names = pictures.names
        return names.isEmpty ? nil : names[(number - 1) % names.count]
    }
}

extension Site {
    private static let pictureCacheControl = "public, max-age=2592000"
    /// The longest side of a small picture.
    private static let smallSide = 150

    /// The formats for drawings, the default first.
    var drawnFormats: [ImageFormat] { codec == nil ? [.png] : [.jpeg, .png, .webp] }

    /// The extension of icons' and screenshots' names where the origin chooses it.
    var artworkFormat: String { drawnFormats[0].fileExtension }

    /// Returns the picture cached under `key`, or the one that `draw` creates.
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

    /// Returns a small body that declares or unpacks to a huge size.
    ///
    /// Created on first use.
    func bomb(
        _ mediaType: String,
        _ make: @escaping @Sendable () throws -> [UInt8]
    ) async throws -> ServedPicture {
        try await kept("bomb \(mediaType)") { [self] in
            ServedPicture(bytes: try await drawing.run { try make() }, mediaType: mediaType)
        }
    }

    private func drawnBytes(
        _ format: ImageFormat,
        _ draw: @escaping @Sendable () -> Bitmap
    ) async throws -> [UInt8] {
        guard let codec else { return try await drawing.run { try draw().pngBytes() } }
        let bitmap = try await drawing.run { draw() }
        switch format {
        case .jpeg: return try await codec.encode(bitmap, as: .jpeg(quality: 90))
        case .webp: return try await codec.encode(bitmap, as: .webp(quality: 86))
        default: return try await codec.encode(bitmap, as: .png)
        }
    }

    /// Returns the picture called `name`, small enough for a list of many.
    ///
    /// Unchanged if it cannot be scaled down.
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
