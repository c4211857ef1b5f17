public import CalotypeCodec
public import CalotypeCore

/// One picture of a collection, drawn when it is wanted.
public struct SampleSpec: Hashable, Sendable {
    /// The file name, such as `0007-harbour-3000x2000.jpg`; the size in it is that of the upright picture.
    public let name: String
    /// What is drawn.
    public let picture: SamplePicture
    /// What it is encoded as: JPEG, PNG or WebP.
    public let output: OutputFormat
    /// The format of ``output``.
    public let format: ImageFormat
    /// The EXIF orientation that the file says, 1 to 8; the pixels are stored turned the other way.
    public let orientation: Int

    /// The same picture as an upright JPEG at most `side` pixels wide and high.
    func small(_ side: Int) -> SampleSpec {
        let scale = min(1, Double(side) / Double(max(picture.size.width, picture.size.height)))
        let size = PixelSize(
            width: max(1, Int(Double(picture.size.width) * scale)),
            height: max(1, Int(Double(picture.size.height) * scale))
        )
        return SampleSpec(
            name: name,
            picture: SamplePicture(seed: picture.seed, size: size, motif: picture.motif),
            output: .jpeg,
            format: .jpeg,
            orientation: 1
        )
    }

    /// Draws and encodes the picture on the calling thread's executor and the codec's.
    ///
    /// Drawing computes for up to 0.3 s: call it where that is right, see ``SampleRenderer``.
    ///
    /// - Throws: what the codec throws.
    public func encoded(by codec: any ImageCoding) async throws -> [UInt8] {
        let bytes = try await codec.encode(picture.draw().stored(for: orientation), as: output)
        return orientation == 1 ? bytes : EXIFOrientation.inserted(orientation, intoJPEG: bytes)
    }
}
