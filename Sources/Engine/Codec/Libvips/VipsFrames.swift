import CalotypeCore

/// The frames of an animation, read one after another.
struct VipsFrames {
    let source: OpenedSource
    let plan: VipsPlan
    let killSwitch: KillSwitch

    /// Reads each frame of the plan, as a whole picture that `body` may read once.
    ///
    /// - Returns: The timing of the frames.
    /// - Throws: `CodecError`, the errors of `body`; the reason why the switch was pulled.
    func read(_ body: (VipsImage) throws -> Void) throws -> FrameTiming {
        defer { killSwitch.rest() }
        guard plan.facts.format != .png else { return try readPNG(body) }
        let options = plan.loaderOptions(isStrict: !source.isCut)
        return try VipsImage.load(source.encoded, options: options) { opened in
            try killSwitch.guards(opened)
            let image = try opened.inIntegers(isWeighted: false)
            let size = opened.frameSize
            let count = image.size.height / size.height
            for index in 0..<count {
                try killSwitch.guards(image)
                try body(image.cut(to: PixelArea(left: 0, top: index * size.height, size: size)))
            }
            return opened.timing(of: plan.frame..<plan.frame + count)
        }
    }

    /// libvips reads only the picture that a PNG shows where it is not animated.
    private func readPNG(_ body: (VipsImage) throws -> Void) throws -> FrameTiming {
        let animation = try AnimatedPNG(source.encoded.bytes())
        let end = min(plan.frame + plan.frameCount, animation.frames.count)
        guard plan.frame < end else { throw CodecError.corrupt("it has only \(end) frames") }
        let frames = plan.frame..<end
        var canvas = FrameCanvas(animation.size)
        for (index, frame) in animation.frames.enumerated().prefix(frames.upperBound) {
            let before = frame.disposal == .previous ? canvas : nil
            canvas.draw(try pixels(of: animation.file(of: frame)), in: frame.area, isOver: frame.isOver)
            if frames.contains(index) { try body(.copy(of: canvas.bitmap)) }
            switch frame.disposal {
            case .none: break
            case .clear: canvas.clear(frame.area)
            case .previous: canvas = before ?? canvas
            }
        }
        return FrameTiming(delays: animation.frames[frames].map(\.delay), loops: animation.loops)
    }

    /// Decodes a still PNG to red, green, blue and alpha in sRGB.
    private func pixels(of png: [UInt8]) throws -> [UInt8] {
        try VipsImage.load(.memory(png), options: "[access=sequential,fail_on=truncated]") { opened in
            let image = try opened.inIntegers(isWeighted: false).inSRGB()
            try killSwitch.guards(image)
            return try image.rgba()
        }
    }
}

/// One picture of all frames of an animation, in progress.
struct VipsStrip {
    private var making: VipsPicture
    private let kept: KeptMetadata
    private let limits: ImageLimits
    private let expected: Int
    private var size = PixelSize(width: 0, height: 0)
    private var rgba: [UInt8] = []
    private var metadata = MetadataBlocks.none
    /// The reason why there can be no picture.
    private(set) var failure: CalotypeError?

    /// Creates a picture of the `expected` number of frames.
    init(_ making: VipsPicture, _ kept: KeptMetadata, _ limits: ImageLimits, expected: Int) {
        self.making = making
        self.kept = kept
        self.limits = limits
        self.expected = expected
    }

    private var count: Int { rgba.isEmpty ? 0 : rgba.count / (size.pixelCount * 4) }

    /// Adds the picture of the next frame, or sets the ``failure``.
    ///
    /// - Throws: `CodecError`; the reason why the switch was pulled.
    mutating func add(_ frame: VipsImage) throws {
        do {
            try append(making.picture(of: frame), of: frame)
        } catch let error as CalotypeError {
            failure = error
        }
    }

    private mutating func append(_ picture: VipsImage, of frame: VipsImage) throws {
        if rgba.isEmpty {
            size = picture.size
            metadata = MetadataBlocks(of: frame, kept)
            // Growing in steps would take up to twice the memory.
            rgba.reserveCapacity(min(size.pixelCount(of: expected), limits.pixels) * 4)
        }
        precondition(picture.size == size, "frames of \(size) and \(picture.size)")
        try limits.check(size, frames: count + 1, most: limits.pixels)
        rgba += try picture.rgba()
    }

    /// Returns the picture of the frames, which follow each other by `timing`.
    ///
    /// - Throws: `CodecError`.
    func picture(_ timing: FrameTiming) throws(CodecError) -> VipsDecode.Picture {
        let whole = PixelSize(width: size.width, height: size.height * count)
        let image = try VipsImage.copy(of: Bitmap(size: whole, rgba: rgba))
        guard count > 1 else { return VipsDecode.Picture(image, metadata) }
        return VipsDecode.Picture(image, frames: size, metadata, timing)
    }
}
