import CalotypeCore

/// A plan for one decode: the distinct transforms, and how small the decoder may start.
struct VipsPlan {
    /// The header of the source.
    let facts: ImageFacts
    /// The transforms, each once, all of the same frames.
    let transforms: [Transform]

    /// Plans for the valid `transforms`: one decode for all of them, if they use the same frames.
    ///
    /// Only if a picture is too large to be held, and is read row by row, does each result need its own
    /// decode.
    static func plans(_ facts: ImageFacts, _ transforms: [Transform], limits: ImageLimits) -> [VipsPlan] {
        var frames: [[Transform]] = []
        for transform in transforms {
            if let index = frames.firstIndex(where: { $0.first?.frames == transform.frames }) {
                if !frames[index].contains(transform) { frames[index].append(transform) }
            } else {
                frames.append([transform])
            }
        }
        return frames.flatMap { distinct in
            let plan = VipsPlan(facts: facts, transforms: distinct)
            guard plan.keepsBase, plan.base.pixelCount > limits.pixels else { return [plan] }
            return distinct.map { VipsPlan(facts: facts, transforms: [$0]) }
        }
    }

    /// The first frame to read.
    var frame: Int { transforms.first?.frames.lowerBound ?? 0 }

    /// The number of frames to read.
    var frameCount: Int { transforms.first?.frames.count ?? 1 }

    /// Whether the source is read frame by frame.
    var readsFrames: Bool { frameCount > 1 || frame > 0 && facts.format == .png }

    /// Whether the loaded picture is held whole.
    ///
    /// That is so if several pictures are made from it, or if one depends on all of it.
    var keepsBase: Bool { transforms.count > 1 || transforms.contains { $0.edits.looksAtAll } }

    /// The estimate of the memory for the decode.
    var bytes: Int {
        let watermarks = transforms.reduce(0) { $0 + VipsBudget.watermarkBytes($1.edits.watermark) }
        return watermarks + (readsFrames ? frameBytes : 0)
            + VipsBudget.bytes(
                facts,
                base: base,
                keepsBase: keepsBase,
                outputs: transforms.reduce(0) { $0 + min(heldPixels($1), 1 << 32) * ($1.isDeep ? 2 : 1) }
            )
    }

    /// The estimate of the memory for holding frames: the results, and the canvases and the frame of a PNG.
    private var frameBytes: Int {
        let canvas = facts.format == .png ? 16 * min(facts.storedSize.pixelCount, 1 << 40) : 0
        return transforms.reduce(canvas) { sum, transform in
            let pixels = Geometry(transform, of: facts).output.pixelCount(of: frameCount)
            return sum + VipsBudget.frameBytes * min(pixels, 1 << 40)
        }
    }

    /// The loader's options; a strict loader refuses a source that ends early.
    func loaderOptions(isStrict: Bool) -> String {
        // The decoder may find fewer frames than the header reader.
        let count = frame + frameCount == facts.frames ? -1 : frameCount
        let page = (frame > 0 ? ",page=\(frame)" : "") + (frameCount > 1 ? ",n=\(count)" : "")
        let common = "access=sequential,fail_on=\(isStrict ? "truncated" : "none")\(page)"
        switch facts.format {
        case .jpeg where shrink > 1: return "[\(common),shrink=\(shrink)]"
        case .webp where shrink > 1: return "[\(common),scale=\(1 / Double(shrink))]"
        default: return "[\(common)]"
        }
    }

    /// The factor by which the loader shrinks the picture: 8, 4, 2 or 1.
    var shrink: Int {
        // libvips rounds the places of frames that it shrinks.
        guard facts.format == .jpeg || facts.format == .webp, frameCount == 1 else { return 1 }
        return transforms.map(shrink).min() ?? 1
    }

    /// The pixels of a drawing, beyond which it is scaled: a small part of it may be wanted at a large size.
    private static let mostDrawn = 64_000_000

    /// The size at which a drawing is drawn, so that the largest result needs no scaling.
    var drawnSize: PixelSize {
        let size = facts.storedSize
        guard facts.format == .svg, transforms.allSatisfy(canScale) else { return size }
        let scale =
            transforms.map { transform -> Double in
                let geometry = Geometry(transform, of: facts)
                return max(
                    Double(geometry.scaled.width) / Double(geometry.crop.size.width),
                    Double(geometry.scaled.height) / Double(geometry.crop.size.height)
                )
            }.max() ?? 1
        let most = (Double(Self.mostDrawn) / Double(size.pixelCount)).squareRoot()
        return PixelSize(
            width: Rounding.side(Double(size.width) * min(scale, most)),
            height: Rounding.side(Double(size.height) * min(scale, most))
        )
    }

    /// Whether the decoder may produce another size for `transform`.
    ///
    /// A uniform border shows only at full size, and areas to blur have pixels of the full size.
    private func canScale(_ transform: Transform) -> Bool {
        transform.edits.trim == nil && transform.edits.blurredAreas.isEmpty
    }

    private func shrink(_ transform: Transform) -> Int {
        guard transform.effort != .best, canScale(transform) else { return 1 }
        let geometry = Geometry(transform, of: facts)
        return Geometry.shrink(geometry.crop.size, for: geometry.scaled)
    }

    /// The number of pixels held at a time while one picture is finished.
    private func heldPixels(_ transform: Transform) -> Int {
        let geometry = Geometry(transform, of: facts)
        let output = geometry.output.pixelCount
        guard transform.edits != .none else { return output }
        let cut = transform.edits.gravity == .attention ? geometry.scaled.pixelCount : 0
        // A copy in 8-bit sRGB, one that is blurred, the mask of the areas, and the result.
        let blurred = transform.edits.blurredAreas.isEmpty ? 0 : 4 * min(facts.storedSize.pixelCount, 1 << 40)
        // Filters read one copy and write another.
        return 2 * min(max(output, geometry.kept.size.pixelCount), 1 << 40) + min(cut, 1 << 40) + blurred
    }

    private var base: PixelSize {
        guard facts.format != .svg else { return drawnSize }
        return PixelSize(width: facts.storedSize.width / shrink, height: facts.storedSize.height / shrink)
    }
}

extension Transform {
    /// The frames that a settled transform uses.
    var frames: Range<Int> { edits.frame..<edits.frame + min(edits.mostFrames, 1 << 40) }
}

extension PictureEdits {
    /// Whether the source must be held whole because edits depend on all of its pixels.
    var looksAtAll: Bool {
        trim != nil || !blurredAreas.isEmpty || crop.map { $0.gravity ?? gravity } == .attention
    }
}

/// Estimates the memory that a decode needs, so that a gate can admit it.
enum VipsBudget {
    /// The bytes per pixel of an animation: its frames, all of them as an image, and encoded.
    static let frameBytes = 13
    /// The number of rows that a decoder and a resampler hold at a time when they work row by row.
    private static let heldRows = 1024

    /// The bytes for decoding a picture with these `facts`, which the loader scales to `base`.
    ///
    /// The results have `outputs` pixels in total; `keepsBase` if the scaled picture is held whole for
    /// several results.
    static func bytes(_ facts: ImageFacts, base: PixelSize, keepsBase: Bool, outputs: Int) -> Int {
        let size = facts.format == .svg ? base : facts.storedSize
        let channelBytes = min(max((facts.bitDepth + 7) / 8, 1), 8)
        let pixel = (facts.hasAlpha ? 4 : 3) * channelBytes
        let baseRows = keepsBase ? base.height : min(base.height, heldRows)
        // The arithmetic must not overflow, whatever the limits allow.
        let pixels = min(size.pixelCount, 1 << 40)
        let decoder = facts.needsWholePicture ? pixels * decoderBytes(facts, pixel: pixel) : 0
        // Each result is held as pixels and, during encoding, as bytes.
        return decoder + min(base.pixelCount, base.width * baseRows) * pixel + min(outputs, 1 << 40) * 5
    }

    /// The bytes for a watermark: decoded, according to its header, and as it is applied.
    static func watermarkBytes(_ watermark: Watermark?) -> Int {
        guard let watermark, let facts = try? EncodedSource.memory(watermark.picture.bytes).facts() else {
            return 0
        }
        return min(facts.storedSize.pixelCount, 1 << 40) * 12
    }

    /// The bytes for the pixels of a decoded picture of `size`: once from the decoder, once as a value.
    static func bitmapBytes(_ size: PixelSize) -> Int {
        min(size.pixelCount, 1 << 40) * 8
    }

    /// The bytes per pixel that the decoder itself holds of the whole picture.
    private static func decoderBytes(_ facts: ImageFacts, pixel: Int) -> Int {
        switch facts.format {
        case .jpeg: 3
        case .png, .tiff: pixel
        case .webp, .gif: 4
        // The bytes of the file, the pixels of our own decoder, and libvips's copy.
        case .pnm, .bmp, .tga, .psd, .ico, .custom: 12
        case .svg: 8
        case .jp2, .jxl: 4 * pixel
        // The codec's planes besides the interleaved picture.
        case .avif, .heic: 2 * pixel
        }
    }
}
