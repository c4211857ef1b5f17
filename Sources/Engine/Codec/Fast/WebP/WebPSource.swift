import CalotypeCore

/// A still WebP, lossy or lossless, with or without alpha.
///
/// It is decoded whole: libwebp's own reduction costs more than it saves, since it comes after the decoding.
struct WebPSource: FastSource {
    let profile: [UInt8]
    let model: SampleLayout.Model
    let scales = [8]

    private let source: EncodedSource
    private let size: PixelSize
    private let coding: WebPStructure.Coding
    private var isForAveraging = false

    /// Decides from the chunks before the pixels; `facts` is what the header told.
    ///
    /// - Throws: `corrupt_image`, `truncated_image`, `file_not_readable`.
    static func verdict(
        _ source: EncodedSource,
        _ facts: ImageFacts
    ) throws(CalotypeError) -> FastVerdict {
        var reader = source.reader()
        do {
            return .taken(WebPSource(source, facts.storedSize, try WebPStructure(&reader, facts)))
        } catch let oddity as WebPStructure.Oddity {
            return .left(reason: oddity.reason)
        } catch {
            throw ImageProbe.error(error as? HeaderFault ?? .corrupt("the WebP cannot be read"))
        }
    }

    private init(_ source: EncodedSource, _ size: PixelSize, _ structure: WebPStructure) {
        self.source = source
        self.size = size
        coding = structure.coding
        profile = structure.profile
        model =
            switch (structure.coding, structure.hasAlpha) {
            case (_, true): .rgba
            // As the file has them: turning all of a large picture into RGB costs more than turning the small one.
            case (.lossy, false): .videoYCbCr
            case (.lossless, false): .rgb
            }
    }

    /// The same without the smoothing of block edges, which takes a seventh of the time.
    var forAveraging: any FastSource {
        var source = self
        source.isForAveraging = true
        return source
    }

    func decoderBytes(scale: Int) -> Int {
        let pixels = min(size.pixelCount, 1 << 40)
        // The rows that the decoder works on, above the rows that it gives.
        let rows = size.width * 128 + 64 << 10
        let held =
            switch (coding, model) {
            // Y, and Cb and Cr of a quarter each.
            case (.lossy, .videoYCbCr): pixels * 3 / 2 + size.width + size.height
            // What is given, the plane of the alpha, and what its lossless decoder holds.
            case (.lossy, _): pixels * (4 + 1 + 4)
            // What is given, and what it is made of.
            case (.lossless, _): pixels * (model.channels + 4)
            }
        return held + rows + source.fileBytes
    }

    func decoder(
        scale: Int,
        acceptsTruncated: Bool,
        isCancelled: @escaping () -> Bool
    ) throws -> any RowDecoder {
        try WebPDecoder(
            WebPFeed(source, pixels: size.pixelCount, isLossless: coding == .lossless),
            SampleLayout(model, size),
            isForAveraging: isForAveraging,
            acceptsTruncated: acceptsTruncated
        )
    }
}

extension EncodedSource {
    /// The bytes that have to be read into memory to have all of them at hand.
    fileprivate var fileBytes: Int {
        switch self {
        case .memory: 0
        case .file(let file): file.count
        }
    }
}

extension SampleLayout {
    /// The layout in which libwebp gives a picture of `size`.
    fileprivate init(_ model: Model, _ size: PixelSize) {
        guard model == .videoYCbCr else {
            self = .interleaved(model, size)
            return
        }
        let half = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        let colour = SamplePlane(
            channels: 1,
            size: half,
            width: Double(size.width) / 2,
            height: Double(size.height) / 2
        )
        self.init(model: model, planes: [SamplePlane(channels: 1, size: size), colour, colour])
    }
}
