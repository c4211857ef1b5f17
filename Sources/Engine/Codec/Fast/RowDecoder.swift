import CalotypeCore

/// Decodes a picture once, from its top row to its last.
protocol RowDecoder: AnyObject {
    /// How the rows are laid out.
    var layout: SampleLayout { get }

    /// Whether the source ended early and later rows are filled in; known after all rows were returned.
    var isPartial: Bool { get }

    /// Decodes the next rows and passes each to `body` with the number of its plane.
    ///
    /// A call takes a few milliseconds if the format allows it; the rows of a plane come in order.
    ///
    /// - Returns: Whether there may be more.
    /// - Throws: `corrupt_image`, `truncated_image`; what `body` throws.
    func next(_ body: (_ plane: Int, _ row: Span<UInt8>) throws -> Void) throws -> Bool
}

/// How a decoder lays out its rows: one plane of interleaved samples, or several of different sizes.
struct SampleLayout {
    /// What the samples mean, 8 bits each.
    enum Model: Hashable {
        case grey
        /// Grey and straight alpha.
        case greyAlpha
        /// Red, green, blue.
        case rgb
        /// Red, green, blue and straight alpha.
        case rgba
        /// Three planes of Y, Cb and Cr in video range (ITU-R BT.601, Y 16 to 235), as WebP stores them.
        case videoYCbCr
    }

    /// What the samples mean.
    var model: Model
    /// One plane with `model.channels` samples per pixel; three with one sample each for
    /// ``Model/videoYCbCr``.
    var planes: [SamplePlane]

    /// A layout of one plane with interleaved samples.
    static func interleaved(_ model: Model, _ size: PixelSize) -> SampleLayout {
        SampleLayout(model: model, planes: [SamplePlane(channels: model.channels, size: size)])
    }

    /// Returns the layout cropped to `area` of the whole picture, which has the given `size`.
    func cropped(to area: PixelArea, of size: PixelSize) -> SampleLayout {
        guard area.size != size else { return self }
        var layout = self
        for index in planes.indices { layout.planes[index].crop(to: area, of: size) }
        return layout
    }
}

extension SampleLayout.Model {
    /// The samples of a pixel.
    var channels: Int {
        switch self {
        case .grey: 1
        case .greyAlpha: 2
        case .rgb, .videoYCbCr: 3
        case .rgba: 4
        }
    }

    /// Whether the last sample of a pixel is its alpha.
    var hasAlpha: Bool { self == .greyAlpha || self == .rgba }
}

/// One plane of samples, and how much of it the picture covers.
struct SamplePlane: Hashable {
    /// The number of interleaved samples of a pixel.
    let channels: Int
    /// The columns and rows that the decoder returns.
    let size: PixelSize
    /// The picture's width in columns of this plane.
    ///
    /// It is smaller than the number of columns if the picture covers the last one only in part, as when
    /// decoded at 3/8 of its size or in a colour plane of half an odd width.
    var width: Double
    /// The picture's height in rows of this plane.
    var height: Double
    /// Where the picture begins from the left, in columns: more than 0 if only a part of the plane is wanted.
    var left = 0.0
    /// Where the picture begins from the top, in rows.
    var top = 0.0

    init(channels: Int, size: PixelSize, width: Double? = nil, height: Double? = nil) {
        self.channels = channels
        self.size = size
        self.width = width ?? Double(size.width)
        self.height = height ?? Double(size.height)
    }

    /// Crops to the part of the picture, which has the given `size` in total, that lies in `area`.
    mutating func crop(to area: PixelArea, of size: PixelSize) {
        let (across, down) = (width / Double(size.width), height / Double(size.height))
        left += Double(area.left) * across
        top += Double(area.top) * down
        width = Double(area.size.width) * across
        height = Double(area.size.height) * down
    }

    /// The bytes of a row.
    var rowBytes: Int { channels * size.width }
}

extension CalotypeError {
    /// The error for a damaged source in `format`, such as "PNG", with the decoder's `reason`.
    static func damaged(_ format: String, _ reason: String) -> CalotypeError {
        CalotypeError(
            .corruptImage,
            "the \(format) is damaged: \(reason)",
            stage: .decode,
            cause: CodecError.corrupt(reason)
        )
    }

    /// The error for a source in `format` that ends early, with the decoder's `reason`.
    static func cut(_ format: String, _ reason: String) -> CalotypeError {
        CalotypeError(
            .truncatedImage,
            "the \(format) ends before it is complete: \(reason)",
            stage: .decode,
            cause: CodecError.corrupt(reason)
        )
    }
}
