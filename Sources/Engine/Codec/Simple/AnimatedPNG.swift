import CalotypeCore

/// The frames of an animated PNG (third edition of the specification, 11.3.6).
struct AnimatedPNG {
    /// A part of the canvas that changes.
    struct Frame {
        /// What becomes of the frame's area when its time is over.
        enum Disposal: Int {
            case none, clear, previous
        }

        let area: PixelArea
        /// In milliseconds.
        let delay: Int32
        let disposal: Disposal
        /// Whether it is laid over the canvas; otherwise it replaces all of its area, with its alpha.
        let isOver: Bool
        /// Where its compressed pixels are in the file.
        fileprivate(set) var data: [Range<Int>] = []
    }

    let size: PixelSize
    /// How many times the animation is shown; 0 for without end.
    private(set) var loops: Int32 = 0
    private(set) var frames: [Frame] = []

    private let bytes: [UInt8]
    /// The chunks that say how the pixels of every frame are stored.
    private var shared: [Range<Int>] = []
    private var hasPicture = false
    /// Whether the first frame is the picture that viewers without animation show.
    private var beginsWithPicture = false
    private var sequence = 0

    private static let sharedKinds: Set = ["PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "cICP"]

    /// Reads the chunks of a file whose header is valid.
    ///
    /// - Throws: `corrupt`; `outOfBytes`.
    init(_ bytes: [UInt8]) throws(CodecError) {
        self.bytes = bytes
        var reader = ByteReader(bytes)
        size = PixelSize(width: try reader.big(16, 4), height: try reader.big(20, 4))
        var offset = PNGChunk.afterHeader
        while true {
            let chunk = try PNGChunk(&reader, at: offset)
            guard chunk.end <= bytes.count else { throw .outOfBytes }
            guard chunk.kind != "IEND" else { break }
            try take(chunk, &reader)
            offset = chunk.end
        }
        if let index = frames.firstIndex(where: \.data.isEmpty) {
            throw .corrupt("frame \(index) has no pixels")
        }
    }

    /// A still PNG with the pixels of `frame`.
    func file(of frame: Frame) -> [UInt8] {
        var file = Array(bytes[..<PNGChunk.header])
        var header = [UInt8](big: frame.area.size.width, 4) + [UInt8](big: frame.area.size.height, 4)
        header += bytes[PNGChunk.header + 16..<PNGChunk.header + 21]
        PNGChunk.append("IHDR", header.span, to: &file)
        for chunk in shared { file += bytes[chunk] }
        for data in frame.data { PNGChunk.append("IDAT", bytes.span.extracting(data), to: &file) }
        PNGChunk.append("IEND", Span(), to: &file)
        return file
    }

    private mutating func take(_ chunk: PNGChunk, _ reader: inout ByteReader) throws(CodecError) {
        let content = chunk.content
        switch chunk.kind {
        case "acTL":
            guard content.count == 8 else { throw .corrupt("its animation has no valid header") }
            loops = Int32(clamping: try reader.big(content.lowerBound + 4, 4))
        case "fcTL":
            frames.append(try frame(content, &reader))
        case "IDAT":
            if !hasPicture { beginsWithPicture = frames.count == 1 }
            hasPicture = true
            if beginsWithPicture { frames[0].data.append(content) }
        case "fdAT":
            try checkSequence(content, &reader)
            guard hasPicture, frames.count > (beginsWithPicture ? 1 : 0) else {
                throw .corrupt("it has pixels outside of a frame")
            }
            frames[frames.count - 1].data.append(content.dropFirst(4))
        case let kind where !hasPicture && Self.sharedKinds.contains(kind): shared.append(chunk.whole)
        default: break
        }
    }

    private mutating func checkSequence(
        _ content: Range<Int>,
        _ reader: inout ByteReader
    ) throws(CodecError) {
        guard content.count >= 4, try reader.big(content.lowerBound, 4) == sequence else {
            throw .corrupt("its frames are out of order")
        }
        sequence += 1
    }

    private mutating func frame(
        _ content: Range<Int>,
        _ reader: inout ByteReader
    ) throws(CodecError) -> Frame {
        try checkSequence(content, &reader)
        let start = content.lowerBound
        let index = frames.count
        guard content.count == 26, let disposal = Frame.Disposal(rawValue: try reader.byte(start + 24)) else {
            throw .corrupt("frame \(index) has no valid header")
        }
        let area = PixelArea(
            left: try reader.big(start + 12, 4),
            top: try reader.big(start + 16, 4),
            size: PixelSize(width: try reader.big(start + 4, 4), height: try reader.big(start + 8, 4))
        )
        guard area.size.width > 0, area.size.height > 0, area.left + area.size.width <= size.width,
            area.top + area.size.height <= size.height, hasPicture || area.size == size
        else { throw .corrupt("frame \(index) lies outside of the picture") }
        return Frame(
            area: area,
            delay: try delay(start + 20, &reader),
            // There is nothing before the first frame.
            disposal: index == 0 && disposal == .previous ? .clear : disposal,
            isOver: try reader.byte(start + 25) == 1
        )
    }

    private func delay(_ start: Int, _ reader: inout ByteReader) throws(CodecError) -> Int32 {
        let parts = try reader.big(start + 2, 2)
        let seconds = Double(try reader.big(start, 2)) / Double(parts == 0 ? 100 : parts)
        return Int32((seconds * 1000).rounded())
    }
}

/// The picture that an animation shows, which each frame changes.
struct FrameCanvas {
    private(set) var bitmap: Bitmap

    /// Creates a transparent canvas.
    init(_ size: PixelSize) {
        bitmap = Bitmap(size: size, rgba: [UInt8](repeating: 0, count: size.pixelCount * 4))
    }

    /// Draws `rgba`, the pixels of `area`, as the PNG specification says in 11.3.6.2.
    mutating func draw(_ rgba: [UInt8], in area: PixelArea, isOver: Bool) {
        let rowBytes = area.size.width * 4
        for row in 0..<area.size.height {
            let target = start(of: row, in: area)
            let source = row * rowBytes
            if isOver {
                for offset in stride(from: 0, to: rowBytes, by: 4) {
                    lay(rgba, source + offset, at: target + offset)
                }
            } else {
                bitmap.rgba.replaceSubrange(
                    target..<target + rowBytes,
                    with: rgba[source..<source + rowBytes]
                )
            }
        }
    }

    /// Makes `area` transparent.
    mutating func clear(_ area: PixelArea) {
        let none = [UInt8](repeating: 0, count: area.size.width * 4)
        for row in 0..<area.size.height {
            let target = start(of: row, in: area)
            bitmap.rgba.replaceSubrange(target..<target + none.count, with: none)
        }
    }

    private func start(of row: Int, in area: PixelArea) -> Int {
        (area.top + row) * bitmap.rowBytes + area.left * 4
    }

    /// Lays the pixel at `source` of `rgba` over that at `target`; alpha is straight in both.
    private mutating func lay(_ rgba: [UInt8], _ source: Int, at target: Int) {
        let alpha = Int(rgba[source + 3])
        guard alpha > 0 else { return }
        let below = Int(bitmap.rgba[target + 3]) * (255 - alpha)
        // In 255ths of a level, like `below`.
        let sum = alpha * 255 + below
        for sample in 0..<3 {
            let mixed = Int(rgba[source + sample]) * alpha * 255 + Int(bitmap.rgba[target + sample]) * below
            bitmap.rgba[target + sample] = UInt8((mixed + sum / 2) / sum)
        }
        bitmap.rgba[target + 3] = UInt8((sum + 127) / 255)
    }
}
