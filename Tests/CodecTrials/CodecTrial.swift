internal import CalotypeCodec
internal import CalotypeCore
internal import TaskFlow

/// One decode of possibly damaged bytes, and what came of it.
package enum CodecTrial {
    /// What small sources are made into: each exercises another part of a codec.
    static let specs: [RenditionSpec] = [
        RenditionSpec(.fit(32, 32), .jpeg),
        RenditionSpec(.none, .png),
        RenditionSpec(.fill(24, 16).effort(.fast), .webp),
        RenditionSpec(.fit(48, 48).effort(.best), .png),
        RenditionSpec(.fit(20, 20).animated(), .losslessWebP),
    ]

    /// What large sources are made into.
    static let largeSpecs: [RenditionSpec] = [
        RenditionSpec(.fit(256, 256), .jpeg),
        RenditionSpec(.fill(96, 96).effort(.fast), .webp),
        RenditionSpec(.fit(128, 128).effort(.best), .png),
    ]

    /// What came of a trial.
    package struct Result: Hashable, Sendable {
        /// The error's code, or `ok`.
        package let word: String
        /// FNV-1a of the word and all bytes that were made.
        package let hash: UInt64
        /// Whether Calotype's own path made it.
        package let isFast: Bool
    }

    /// Makes what `spec` says of `bytes`.
    static func run(
        _ bytes: [UInt8],
        as spec: RenditionSpec,
        _ codec: some ImageCoding,
        acceptsTruncated: Bool = false
    ) async -> Result {
        var limits = ImageLimits()
        // A damaged header may ask for anything; what it may have is little.
        limits.pixels = 4_000_000
        limits.streamedPixels = 16_000_000
        limits.acceptsTruncated = acceptsTruncated
        do {
            let pictures = try await codec.renditions(of: .bytes(bytes), as: [spec], limits: limits)
            return result(pictures)
        } catch {
            return result(error)
        }
    }

    /// Reads `bytes` without a library.
    static func read(_ bytes: [UInt8]) -> Result {
        var limits = ImageLimits()
        (limits.pixels, limits.streamedPixels) = (100_000, 100_000)
        do {
            let contents = try ImageProbe.everything(in: bytes, limits: limits)
            return Result(word: "ok", hash: hash(contents), isFast: false)
        } catch {
            return result(error)
        }
    }

    private static func result(_ error: any Error) -> Result {
        guard let error = error as? CalotypeError else {
            return Result(word: "\(error)", hash: 0, isFast: false)
        }
        return Result(word: error.code.rawValue, hash: hash(error.code.rawValue.utf8), isFast: false)
    }

    private static func result(_ pictures: [CodedPicture]) -> Result {
        var state = hash("ok".utf8)
        for case .encoded(let bytes, _) in pictures.map(\.content) {
            state = hash(bytes, from: state)
        }
        return Result(word: "ok", hash: state, isFast: pictures.first?.decoder == .fast)
    }

    static func hash(
        _ bytes: some Sequence<UInt8>,
        from start: UInt64 = 0xcbf2_9ce4_8422_2325
    ) -> UInt64 {
        bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    static func bytes(_ path: String) throws(CalotypeError) -> [UInt8] {
        try CodecInput.file(path: path).read()
    }
}
