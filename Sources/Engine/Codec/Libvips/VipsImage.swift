import CalotypeCPictures
import CalotypeCore

/// An image of libvips: a lazy computation, or pixels in memory.
// SAFETY: libvips images do not change after their creation, and any thread may use them, including the kill
// flag. The pointer stays valid from init to deinit and never leaves this type and its extensions.
@safe
final class VipsImage: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over an image from libvips.
    ///
    /// - Throws: `CodecError` for `nil`.
    init(_ pointer: OpaquePointer?) throws(CodecError) {
        guard let pointer = unsafe pointer else { throw Libvips.takeError() }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe cvips_release(pointer)
    }

    /// The size of the image before turning, with all frames of an animation below each other.
    var size: PixelSize {
        unsafe PixelSize(width: Int(cvips_width(pointer)), height: Int(cvips_height(pointer)))
    }

    /// Whether there is an alpha channel.
    var hasAlpha: Bool { unsafe cvips_has_alpha(pointer) != 0 }

    /// Opens an encoded picture with libvips's loader; `body` reads its pixels once from top to bottom.
    static func load<Output>(
        _ source: EncodedSource,
        options: String,
        _ body: (VipsImage) throws -> Output
    ) throws -> Output {
        switch source {
        case .file(let file):
            return try body(unsafe VipsImage(cvips_open_descriptor(file.descriptor, options)))
        case .memory(let bytes):
            // The image reads the bytes only while pixels are computed, which ends with `body`.
            return try unsafe bytes.withUnsafeBytes { buffer in
                try body(unsafe VipsImage(cvips_open_memory(buffer.baseAddress, buffer.count, options)))
            }
        }
    }

    /// Creates an image from the pixels of `bitmap`, without its alpha if all of it is opaque.
    static func copy(of bitmap: Bitmap) throws(CodecError) -> VipsImage {
        let isOpaque = stride(from: 3, to: bitmap.rgba.count, by: 4).allSatisfy { bitmap.rgba[$0] == 255 }
        var pixels = bitmap.rgba
        if isOpaque {
            for pixel in 0..<bitmap.size.pixelCount {
                for sample in 0..<3 { pixels[3 * pixel + sample] = pixels[4 * pixel + sample] }
            }
        }
        let size = bitmap.size
        return unsafe try VipsImage(
            cvips_from_pixels(
                pixels,
                Int32(clamping: size.width),
                Int32(clamping: size.height),
                isOpaque ? 3 : 4,
                0
            )
        )
    }

    /// Creates an image from the pixels of one of our own decoders.
    static func copy(of picture: SimplePicture) throws(CodecError) -> VipsImage {
        let image = unsafe try VipsImage(
            cvips_from_pixels(
                picture.samples,
                Int32(clamping: picture.size.width),
                Int32(clamping: picture.size.height),
                Int32(picture.channels),
                picture.isInInks ? 1 : 0
            )
        )
        return try image.carrying(["icc-profile-data": picture.profile])
    }

    /// Returns the image scaled to exactly `size`.
    func resized(to size: PixelSize) throws(CodecError) -> VipsImage {
        guard size != self.size else { return self }
        return unsafe try VipsImage(
            cvips_resized(pointer, Int32(clamping: size.width), Int32(clamping: size.height))
        )
    }

    /// Returns the pixels in `area`.
    func cut(to area: PixelArea) throws(CodecError) -> VipsImage {
        guard area.size != size else { return self }
        return unsafe try VipsImage(
            cvips_area(
                pointer,
                Int32(clamping: area.left),
                Int32(clamping: area.top),
                Int32(clamping: area.size.width),
                Int32(clamping: area.size.height)
            )
        )
    }

    /// Returns the opened image in integers of 8 or 16 bits, which all other operations use.
    ///
    /// Greys in floats are computed here: a switch must guard the image before. If it `isWeighted`, its
    /// colours are stored multiplied by their alpha.
    func inIntegers(isWeighted: Bool) throws(CodecError) -> VipsImage {
        unsafe try VipsImage(cvips_integers(pointer, isWeighted ? 1 : 0))
    }

    /// Returns the image, which is in integers, with 16 bits per sample.
    func inSixteenBits() throws(CodecError) -> VipsImage { unsafe try VipsImage(cvips_deep(pointer)) }

    /// Returns the image in sRGB or grey, with 16 bits per sample if `isDeep`, otherwise with 8.
    ///
    /// Unless it `appliesProfile`, the image stays in its own colours, labelled sRGB. Most embedded profiles
    /// are sRGB under various names; applying those would change nothing and cost as much as half a decode.
    func inSRGB(appliesProfile: Bool = true, isDeep: Bool = false) throws(CodecError) -> VipsImage {
        let profile = metadata("icc-profile-data")
        let isApplied = appliesProfile && !ICCProfile.isSRGB(profile)
        return unsafe try VipsImage(
            cvips_srgb(pointer, isApplied ? ICCProfile.intent(of: profile).rawValue : -1, isDeep ? 1 : 0)
        )
    }

    /// Returns the image, which is in sRGB, as linear light.
    func inLinearLight() throws(CodecError) -> VipsImage { unsafe try VipsImage(cvips_linear(pointer)) }

    /// The metadata called `name` in libvips; empty if there is none.
    func metadata(_ name: String) -> [UInt8] {
        var length = 0
        guard let bytes = unsafe cvips_metadata(pointer, name, &length) else { return [] }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: length))
    }

    /// Returns the image with only `metadata`, by libvips's names.
    func carrying(_ metadata: [String: [UInt8]]) throws(CodecError) -> VipsImage {
        let image = unsafe try VipsImage(cvips_bare(pointer))
        for (name, bytes) in metadata where !bytes.isEmpty {
            unsafe cvips_set_metadata(image.pointer, name, bytes, bytes.count)
        }
        return image
    }

    /// Returns the image with all pixels computed.
    func inMemory() throws(CodecError) -> VipsImage { unsafe try VipsImage(cvips_copy_memory(pointer)) }

    /// Returns the image turned upright from the EXIF `orientation`; it must be in memory.
    func upright(from orientation: Int) throws(CodecError) -> VipsImage {
        guard orientation != 1 else { return self }
        return unsafe try VipsImage(cvips_upright(pointer, Int32(clamping: orientation)))
    }

    /// Returns the image on `colour`, without alpha.
    func on(_ colour: Colour) throws(CodecError) -> VipsImage {
        guard hasAlpha else { return self }
        return unsafe try VipsImage(cvips_on_colour(pointer, [colour.red, colour.green, colour.blue]))
    }

    /// Encodes the image with the saver that `suffix` names.
    func encoded(_ suffix: String) throws(CodecError) -> [UInt8] {
        var length = 0
        let bytes = unsafe cvips_encode(pointer, suffix, &length)
        return unsafe try Self.take(bytes, length)
    }

    /// Returns the pixels as red, green, blue, alpha.
    func rgba() throws(CodecError) -> [UInt8] {
        var length = 0
        let bytes = unsafe cvips_rgba(pointer, &length)
        return unsafe try Self.take(bytes, length)
    }

    /// Makes every computation on this image fail soon.
    func kill() {
        unsafe cvips_kill(pointer)
    }

    private static func take(
        _ bytes: UnsafeMutablePointer<UInt8>?,
        _ length: Int
    ) throws(CodecError) -> [UInt8] {
        guard let bytes = unsafe bytes else { throw Libvips.takeError() }
        defer { unsafe cvips_free(bytes) }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: length))
    }
}
