import CalotypeCPictures
import CalotypeCore

// What is done to pictures besides scaling; they have to be in memory, in sRGB or grey.
extension VipsImage {
    /// The largest deviation that is blurred by at full size; a larger one at a size at which it is half of this.
    private static let widestBlur = 16.0

    /// Where the picture lies within its even border; `nil` where all of it is even, and where it has fewer than three pixels
    /// a side.
    func picture(within border: BorderTrim) throws(CodecError) -> PixelArea? {
        // Single pixels do not count as picture; they are told by their neighbours.
        guard min(size.width, size.height) >= 3 else { return nil }
        var area: [Int32] = [0, 0, 0, 0]
        let colour = border.colour.map { [$0.red, $0.green, $0.blue] }
        let found =
            if let colour {
                unsafe cvips_find_picture(pointer, border.threshold, colour, &area)
            } else {
                unsafe cvips_find_picture(pointer, border.threshold, nil, &area)
            }
        guard found == 0 else { throw Libvips.takeError() }
        guard area[2] > 0, area[3] > 0 else { return nil }
        return PixelArea(
            left: Int(area[0]),
            top: Int(area[1]),
            size: PixelSize(width: Int(area[2]), height: Int(area[3]))
        )
    }

    /// The part of `size` that attracts attention.
    func attention(_ size: PixelSize) throws(CodecError) -> VipsImage {
        guard size != self.size else { return self }
        return unsafe try VipsImage(
            cvips_attention(pointer, Int32(clamping: size.width), Int32(clamping: size.height))
        )
    }

    /// The image blurred by a Gaussian of `deviation` pixels.
    ///
    /// - Parameters:
    ///   - deviation: More than 0.
    ///   - computed: Computes what is made on the way, and gives it back in memory.
    /// - Returns: The blurred image, not yet computed.
    /// - Throws: `CodecError`, and what `computed` throws.
    func blurred(_ deviation: Double, _ computed: (VipsImage) throws -> VipsImage) throws -> VipsImage {
        guard deviation > Self.widestBlur else {
            return unsafe try VipsImage(cvips_blurred(pointer, deviation))
        }
        // What is left is so smooth that it has all its detail at a fraction of its size.
        let factor = 2 * deviation / Self.widestBlur
        let small = PixelSize(
            width: Rounding.side(Double(size.width) / factor),
            height: Rounding.side(Double(size.height) / factor)
        )
        let smooth = try computed(resized(to: small)).blurred(Self.widestBlur / 2, computed)
        return try computed(smooth).resized(to: size)
    }

    /// The image sharpened by a mask of `deviation` pixels.
    func sharpened(_ deviation: Double) throws(CodecError) -> VipsImage {
        unsafe try VipsImage(cvips_sharpened(pointer, deviation))
    }

    /// The image in squares of one colour each.
    func pixelated(_ edge: Int) throws(CodecError) -> VipsImage {
        // Squares larger than the picture show no more of it.
        let edge = min(edge, max(size.width, size.height))
        return unsafe try VipsImage(cvips_pixelated(pointer, Int32(clamping: edge)))
    }

    /// The image laid on the transparent `canvas`.
    func laid(on canvas: Geometry.Canvas) throws(CodecError) -> VipsImage {
        unsafe try VipsImage(
            cvips_embedded(
                pointer,
                Int32(clamping: canvas.left),
                Int32(clamping: canvas.top),
                Int32(clamping: canvas.size.width),
                Int32(clamping: canvas.size.height)
            )
        )
    }

    /// The image again and again, filling `size`.
    func tiled(_ size: PixelSize) throws(CodecError) -> VipsImage {
        unsafe try VipsImage(
            cvips_tiled(pointer, Int32(clamping: size.width), Int32(clamping: size.height))
        )
    }

    /// The image in colours with alpha, to be seen as much as `opacity` says, 0 to 1.
    func faded(_ opacity: Double) throws(CodecError) -> VipsImage {
        unsafe try VipsImage(cvips_faded(pointer, opacity))
    }

    /// The image under `top`, which is faded and lies at a place that may be outside in part.
    func covered(by top: VipsImage, x: Int, y: Int) throws(CodecError) -> VipsImage {
        unsafe try VipsImage(cvips_covered(pointer, top.pointer, Int32(clamping: x), Int32(clamping: y)))
    }
}
