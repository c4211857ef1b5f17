import CalotypeCPictures
import CalotypeCore

// Edits besides scaling, for pictures in memory, in sRGB or grey.
extension VipsImage {
    /// The largest deviation to blur at full size.
    ///
    /// For larger deviations, the image is reduced until the deviation is half of this.
    private static let widestBlur = 16.0

    /// The area of the picture within its uniform border.
    ///
    /// `nil` if all of it is uniform, or if it has fewer than three pixels on a side.
    func picture(within border: BorderTrim) throws(CodecError) -> PixelArea? {
        // Single pixels that differ from their neighbours do not count as picture.
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

    /// The area of the given `size` that attracts the most attention.
    func attention(_ size: PixelSize) throws(CodecError) -> PixelArea {
        guard size != self.size else { return PixelArea(left: 0, top: 0, size: size) }
        var place: [Int32] = [0, 0]
        let (width, height) = (Int32(clamping: size.width), Int32(clamping: size.height))
        guard unsafe cvips_find_attention(pointer, width, height, &place) == 0 else {
            throw Libvips.takeError()
        }
        return PixelArea(left: Int(place[0]), top: Int(place[1]), size: size)
    }

    /// Returns the image blurred by a Gaussian of `deviation` pixels.
    ///
    /// - Parameters:
    ///   - deviation: A number greater than 0.
    ///   - computed: Computes intermediate images, and returns them in memory.
    /// - Returns: The blurred image, not yet computed.
    /// - Throws: `CodecError`, and any error from `computed`.
    func blurred(_ deviation: Double, _ computed: (VipsImage) throws -> VipsImage) throws -> VipsImage {
        guard deviation > Self.widestBlur else {
            return unsafe try VipsImage(cvips_blurred(pointer, deviation))
        }
        // The rest is so smooth that a fraction of its size holds all of its detail.
        let factor = 2 * deviation / Self.widestBlur
        let small = PixelSize(
            width: Rounding.side(Double(size.width) / factor),
            height: Rounding.side(Double(size.height) / factor)
        )
        let smooth = try computed(resized(to: small)).blurred(Self.widestBlur / 2, computed)
        return try computed(smooth).resized(to: size)
    }

    /// Creates an image of `size` that is white in `areas` and black elsewhere.
    static func mask(of areas: [PixelArea], in size: PixelSize) throws(CodecError) -> VipsImage {
        var pixels = [UInt8](repeating: 0, count: size.pixelCount)
        for area in areas {
            for row in area.top..<area.top + area.size.height {
                let start = row * size.width + area.left
                for pixel in start..<start + area.size.width { pixels[pixel] = 255 }
            }
        }
        let (width, height) = (Int32(clamping: size.width), Int32(clamping: size.height))
        return unsafe try VipsImage(cvips_from_pixels(pixels, width, height, 1, 0))
    }

    /// Returns the image mixed with `other`, as much as `mask` is white.
    func blended(with other: VipsImage, by mask: VipsImage) throws(CodecError) -> VipsImage {
        unsafe try VipsImage(cvips_blended(pointer, other.pointer, mask.pointer))
    }

    /// Returns the image sharpened by a mask of `deviation` pixels.
    func sharpened(_ deviation: Double) throws(CodecError) -> VipsImage {
        unsafe try VipsImage(cvips_sharpened(pointer, deviation))
    }

    /// Returns the image reduced to squares of one colour each.
    func pixelated(_ edge: Int) throws(CodecError) -> VipsImage {
        // Squares larger than the picture would show nothing more.
        let edge = min(edge, max(size.width, size.height))
        return unsafe try VipsImage(cvips_pixelated(pointer, Int32(clamping: edge)))
    }

    /// Returns the image on the transparent `canvas`.
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

    /// Returns the image repeated until it fills `size`.
    func tiled(_ size: PixelSize) throws(CodecError) -> VipsImage {
        unsafe try VipsImage(
            cvips_tiled(pointer, Int32(clamping: size.width), Int32(clamping: size.height))
        )
    }

    /// Returns the image in colours with alpha, at an `opacity` of 0 to 1.
    func faded(_ opacity: Double) throws(CodecError) -> VipsImage {
        unsafe try VipsImage(cvips_faded(pointer, opacity))
    }

    /// Returns the image under `top`, which is faded and may lie partly outside.
    func covered(by top: VipsImage, x: Int, y: Int) throws(CodecError) -> VipsImage {
        unsafe try VipsImage(cvips_covered(pointer, top.pointer, Int32(clamping: x), Int32(clamping: y)))
    }
}
