internal import CalotypeCore
import CalotypeHTTPMessages

/// Options for the result's format, its file name and its lifetime.
extension ThumbnailDraft {
    mutating func applyOutput(_ name: OptionName, _ option: OptionArguments) throws(ServerError) {
        switch name {
        case .formatQuality: return try applyFormatQuality(option)
        case .skipProcessing: return try applySkips(option)
        default: try option.limit(1)
        }
        switch name {
        case .stripMetadata: stripsMetadata = option.bool()
        case .keepCopyright: keepsCopyright = option.bool()
        case .stripColorProfile: stripsColourProfile = option.bool()
        case .preserveHDR: if option.bool() { throw .unsupported("more than 8 bits per sample are") }
        case .enforceThumbnail: if option.bool() { throw .unsupported("an image's embedded thumbnail is") }
        case .quality: thumbnail.quality = try Self.quality(option, 0)
        case .maxBytes: edits.mostBytes = try Self.byteCount(option)
        case .format: thumbnail.format = try Self.outputFormat(option)
        case .page: edits.frame = try option.integer(0, 0...Self.mostFrame)
        default: thumbnail.isRaw = option.bool()
        }
    }

    /// The highest frame number that a path may request.
    private static let mostFrame = 9_999

    private static func quality(_ option: OptionArguments, _ index: Int) throws(ServerError) -> Int? {
        let quality = try option.integer(index, 0...100)
        return quality == 0 ? nil : quality
    }

    private static func byteCount(_ option: OptionArguments) throws(ServerError) -> ByteCount? {
        let bytes = try option.integer(0, 0...Int.max)
        return bytes == 0 ? nil : ByteCount(bytes)
    }

    private mutating func applyFormatQuality(_ option: OptionArguments) throws(ServerError) {
        guard option.count.isMultiple(of: 2) else { throw option.refusal("has a format without a quality") }
        for index in stride(from: 0, to: option.count, by: 2) {
            let format = try Self.format(option, index)
            thumbnail.formatQualities[format] = try Self.quality(option, index + 1)
        }
    }

    private mutating func applySkips(_ option: OptionArguments) throws(ServerError) {
        for index in 0..<option.count {
            thumbnail.untouched.insert(option[index] == "svg" ? .svg : try Self.format(option, index))
        }
    }

    private static func outputFormat(_ option: OptionArguments) throws(ServerError) -> ImageFormat {
        if let format = ImageFormat(pathWord: option[0]) { return format }
        if ImageFormat.unsupportedWords.contains(option[0]) {
            throw .unsupportedFormat("the output format \(option[0]) is not supported")
        }
        throw option.bad(0, "a format")
    }

    private static func format(_ option: OptionArguments, _ index: Int) throws(ServerError) -> ImageFormat {
        if let format = ImageFormat(pathWord: option[index]) { return format }
        if ImageFormat.unsupportedWords.contains(option[index]) {
            throw .unsupported("the format \(option[index]) in the option '\(option.name)' is")
        }
        throw option.bad(index, "a format")
    }

    // MARK: - Delivery

    mutating func applyDelivery(
        _ name: OptionName,
        _ option: OptionArguments,
        now: Int
    ) throws(ServerError) {
        if name == .filename { return try applyFileName(option) }
        try option.limit(1)
        switch name {
        case .cacheBuster: thumbnail.cacheBuster = option.has(0) ? option[0] : nil
        case .expires: try applyExpiry(option, now)
        case .returnAttachment: thumbnail.isAttachment = option.bool()
        default: thumbnail.fallback = option.has(0) ? try option.encodedText(0) : nil
        }
    }

    private mutating func applyFileName(_ option: OptionArguments) throws(ServerError) {
        try option.limit(2)
        guard option.has(0) else { return thumbnail.fileName = nil }
        let escaped = option[0]
        thumbnail.fileName =
            option.bool(1)
            ? try option.encodedText(0)
            : PercentEscapes.decodedText(escaped)
                ?? escaped
    }

    private mutating func applyExpiry(_ option: OptionArguments, _ now: Int) throws(ServerError) {
        let moment = try option.integer(0, Int.min...Int.max)
        guard moment <= 0 || moment >= now else {
            throw ServerError(404, "Expired URL", .expiredURL, "the path expired at \(moment)")
        }
        thumbnail.expires = moment > 0 ? moment : nil
    }

    // MARK: - Limits

    mutating func applyLimit(_ name: OptionName, _ option: OptionArguments) throws(ServerError) {
        try option.limit(1)
        switch name {
        case .maxSourceResolution:
            thumbnail.limits.sourcePixels = Int(try option.factor(most: Self.mostMegapixels) * 1_000_000)
        case .maxSourceFileSize:
            let bytes = try option.integer(0, 0...Self.mostSourceBytes)
            thumbnail.limits.sourceBytes = bytes == 0 ? Self.mostSourceBytes : bytes
        case .maxAnimationFrames:
            edits.mostFrames = try option.integer(0, 1...Int.max)
        // Each frame may have as many pixels as a still image, and all together are limited too.
        case .maxAnimationFrameResolution: _ = try option.number(0, 0...Self.mostMegapixels)
        default: edits.mostSide = try option.integer(0, 0...Self.mostSide)
        }
    }

    private static let mostMegapixels = 4_294.0
    private static let mostSourceBytes = 1 << 40
}

extension ImageFormat {
    /// imgproxy's formats that no result has here, though some are read.
    static let unsupportedWords: Set<String> = [
        "ico", "bmp", "svg", "best", "mp4", "pdf", "psd", "psb",
    ]

    /// The format for `word` in a path.
    init?(pathWord word: String) {
        switch word {
        case "jpg", "jpeg": self = .jpeg
        case "tif": self = .tiff
        case "heif": self = .heic
        default:
            guard let format = ImageFormat(rawValue: word), !format.isOnlyRead else { return nil }
            self = format
        }
    }
}
