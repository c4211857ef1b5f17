import CalotypeCore

/// Removes everything but the picture from encoded files, without decoding them.
enum LosslessStripping {
    /// Returns a source without metadata and profile, except for what is `kept`.
    ///
    /// A drawing is cleaned, whatever is kept: only what is drawn is left of it.
    ///
    /// `nil` if this requires its pixels: because they are not sRGB, because its format ties metadata to
    /// positions in the file, or because its structure is invalid. Frames of an animation stay. Data after
    /// the picture's end is removed too, unless everything is kept.
    ///
    /// - Throws: `file_not_readable`; for a drawing, `corrupt_image`, `truncated_image` and `unsupported_format`.
    static func stripped(_ source: OpenedSource, _ kept: KeptMetadata) throws(CalotypeError) -> [UInt8]? {
        guard source.facts.format != .svg else { return try drawing(source) }
        let keepsEverything = kept.isSuperset(of: [.all, .profile])
        guard !source.isCut, keepsEverything || isSRGB(source) else { return nil }
        let file = try source.encoded.bytes()
        guard !kept.contains(.all) else { return file }
        if kept.contains(.profile), source.facts.profile != nil { return nil }
        guard let picture = picture(file, source.facts.format) else { return nil }
        return kept.contains(.copyright) ? withCopyright(picture, file, source) : picture
    }

    private static func drawing(_ source: OpenedSource) throws(CalotypeError) -> [UInt8] {
        let bytes = try source.encoded.bytes()
        do throws(CodecError) {
            return try SVGCleaner.document(bytes)
        } catch {
            guard case .unsupported(let reason) = error else { throw ImageProbe.error(error) }
            let message = "this kind of SVG cannot be read: \(reason)"
            throw CalotypeError(.unsupportedFormat, message, stage: .decode, cause: error)
        }
    }

    private static func picture(_ file: [UInt8], _ format: ImageFormat) -> [UInt8]? {
        switch format {
        case .jpeg: JPEGStripping.stripped(file)
        case .png: PNGStripping.stripped(file)
        case .webp: WebPStripping.stripped(file)
        case .gif: GIFStripping.stripped(file)
        case .avif, .heic: HEIFStripping.stripped(file)
        case .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom: nil
        }
    }

    /// Returns `picture` with the copyright of `file`; `nil` if there is no room for it.
    private static func withCopyright(
        _ picture: [UInt8],
        _ file: [UInt8],
        _ source: OpenedSource
    ) -> [UInt8]? {
        switch source.facts.format {
        case .jpeg, .png, .webp:
            MetadataWriter.adding(MetadataBlocks(of: source, .copyright), to: picture, source.facts.format)
        case .gif, .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom: picture
        case .avif, .heic: picture == file ? picture : nil
        }
    }

    /// Whether the samples are sRGB without their profile, which is then an sRGB profile.
    private static func isSRGB(_ source: OpenedSource) -> Bool {
        guard source.facts.format == .jpeg else {
            return source.facts.profile == nil || ICCProfile.isSRGB(profile(of: source))
        }
        // The decoder reports truncated or damaged sources.
        guard let frame = try? JPEGReader(source.encoded).header(keepsProfile: true), frame.model != nil
        else { return false }
        return !frame.hasLongProfile && (frame.profile.isEmpty || ICCProfile.isSRGB(frame.profile))
    }

    /// The profile in `source`; empty if it cannot be read.
    private static func profile(of source: OpenedSource) -> [UInt8] {
        var reader = source.encoded.reader()
        return switch source.facts.format {
        case .png: (try? PNGStripping.profile(&reader)) ?? []
        case .webp: (try? WebPStripping.profile(&reader)) ?? []
        case .avif, .heic: (try? HEIFStripping.profile(&reader)) ?? []
        case .gif, .jpeg, .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom: []
        }
    }
}
