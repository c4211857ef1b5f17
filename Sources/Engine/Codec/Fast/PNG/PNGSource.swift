import CalotypeCore

/// A PNG that is decoded row by row: 1 to 8 bits a channel, neither interlaced nor animated.
struct PNGSource: FastSource {
    let source: EncodedSource
    let pixels: PNGPixels
    let profile: [UInt8]
    /// Where the first chunk of picture data begins.
    let dataOffset: Int

    var model: SampleLayout.Model { pixels.model }
    var scales: [Int] { [8] }

    /// Takes the PNG in `source`, or says why it is left to libvips.
    ///
    /// - Throws: `file_not_readable`, `truncated_image`.
    static func verdict(
        _ source: EncodedSource,
        _ facts: ImageFacts
    ) throws(CalotypeError) -> FastVerdict {
        guard facts.frames == 1 else { return .left(reason: "animated") }
        var reader = source.reader()
        do {
            let chunks = try PNGChunks(&reader)
            return .taken(
                PNGSource(
                    source: source,
                    pixels: chunks.pixels,
                    profile: chunks.profile,
                    dataOffset: chunks.dataOffset
                )
            )
        } catch let fault as HeaderFault {
            throw ImageProbe.error(fault)
        } catch PNGChunks.Oddity.reason(let reason) {
            return .left(reason: reason)
        } catch {
            return .left(reason: "unreadable chunks")
        }
    }

    func decoderBytes(scale: Int) -> Int {
        PNGReader.bytes(pixels)
    }

    func decoder(
        scale: Int,
        acceptsTruncated: Bool,
        isCancelled: @escaping () -> Bool
    ) throws -> any RowDecoder {
        try PNGDecoder(pixels, of: source, at: dataOffset, acceptsTruncated: acceptsTruncated)
    }
}
