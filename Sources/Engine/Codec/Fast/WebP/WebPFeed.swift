import CalotypeCore

/// The bytes of a WebP, made available step by step so that a decoder can pause between the steps.
///
/// A step is worth about 128 Ki pixels, a millisecond or so. Where many pixels are coded in almost no bytes (pictures of
/// one colour) a step can be worth all of them: half a second for 100 megapixels.
struct WebPFeed {
    /// What was made available of the file, from its first byte, and maybe more.
    private(set) var bytes: [UInt8]
    /// How many of them the decoder may see.
    private(set) var count = 0

    private let file: PictureFile?
    private let total: Int
    private let isLossless: Bool
    private let step: Int

    private static let stepPixels = 128 << 10
    private static let leastStep = 1 << 10
    private static let blockLength = 256 << 10

    init(_ source: EncodedSource, pixels: Int, isLossless: Bool) {
        switch source {
        case .memory(let bytes):
            self.bytes = bytes
            file = nil
        case .file(let file):
            bytes = []
            self.file = file
        }
        total = source.count
        self.isLossless = isLossless
        let steps = max(1, pixels / Self.stepPixels)
        step = max(Self.leastStep, total / steps)
    }

    /// Whether all of it is available.
    var isComplete: Bool { count == total }

    /// Makes the next step available; `hasRows` once the decoder has given some.
    ///
    /// - Throws: `file_not_readable`, `truncated_image` for a file that has become shorter.
    mutating func advance(hasRows: Bool) throws(CalotypeError) {
        // The lossless decoder waits for an eighth of the file and reads its header anew each time that it was cut.
        let length = isLossless && !hasRows ? max(step, total / 8) : step
        count = min(total, count + length)
        while bytes.count < count { try readBlock() }
    }

    private mutating func readBlock() throws(CalotypeError) {
        do throws(HeaderFault) {
            guard let file else { throw .outOfBytes }
            let block = try file.read(at: bytes.count, length: min(Self.blockLength, total - bytes.count))
            guard !block.isEmpty else { throw .outOfBytes }
            bytes.reserveCapacity(total)
            bytes += block
        } catch {
            throw ImageProbe.error(error)
        }
    }
}
