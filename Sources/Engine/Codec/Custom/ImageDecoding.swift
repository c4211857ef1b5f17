public import CalotypeCore

/// A decoder for a format that Calotype does not read itself.
///
/// Add it to `ImageCodecConfiguration.decoders`. It is asked about sources that are not in one of
/// `ImageFormat.allCases`, by their first bytes. Everything else is as for other formats: the limits for
/// sources and pixels, the share of cores and memory, one decode for all results of a source, the caches.
///
/// A decoder runs in this process, whatever `ImageCodecConfiguration.isolation` says, so it must never
/// crash, whatever bytes it is given. Results in the source's own format are PNG.
public protocol ImageDecoding: Sendable {
    /// The name of the format and the version of the decoder, 1 to 100 bytes, such as `org.example.qoi/2`.
    ///
    /// Stored results of a decoder whose identifier is not registered any more are not used. Change it when
    /// the decoder gives other pixels than before.
    var identifier: String { get }

    /// The bytes with which files in the format begin; a file begins with one of them.
    var signatures: [[UInt8]] { get }

    /// Reads the header of a picture whose first bytes are `prefix`, at most 64 KiB.
    ///
    /// - Returns: The size, the orientation, and whether there is an alpha channel; the other facts do not
    ///   matter. `nil` if the prefix is too short.
    /// - Throws: Any error; the source then fails as `corrupt_image`. A `CalotypeError` is thrown unchanged.
    func facts(ofPrefix prefix: [UInt8]) throws -> ImageFacts?

    /// Decodes a picture, on a thread of the codec.
    ///
    /// A long decode checks `Task.isCancelled`; nothing else can stop it.
    ///
    /// - Parameter bytes: The whole source.
    /// - Returns: The pixels, in the size of the header. Alpha counts only if the header has it.
    /// - Throws: The errors of ``facts(ofPrefix:)``; `CancellationError`.
    func bitmap(of bytes: [UInt8]) throws -> Bitmap
}

extension ImageCodecConfiguration {
    /// The decoders for formats that Calotype does not read itself, each with its own identifier; none by
    /// default.
    ///
    /// If several begin with the bytes of a source, the first of them decodes it.
    public var decoders: [any ImageDecoding] {
        get { customDecoders.map(\.decoder) }
        set {
            customDecoders = newValue.map(CustomDecoder.init)
            precondition(Set(customDecoders).count == newValue.count, "two decoders have one identifier")
        }
    }
}

/// A decoder from outside, whose results are checked.
struct CustomDecoder: Hashable, Sendable {
    let decoder: any ImageDecoding
    let identifier: String

    init(_ decoder: any ImageDecoding) {
        self.decoder = decoder
        identifier = decoder.identifier
    }

    static func == (left: Self, right: Self) -> Bool { left.identifier == right.identifier }

    func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

    /// Whether it decodes files that begin with `prefix`.
    func begins(_ prefix: [UInt8]) -> Bool {
        decoder.signatures.contains { !$0.isEmpty && prefix.starts(with: $0) }
    }

    /// Reads the header in `prefix`, which is all of the source if `isComplete`.
    ///
    /// - Returns: `nil` if more bytes are needed.
    /// - Throws: `corrupt_image`, `truncated_image`; the decoder's own `CalotypeError`.
    func facts(_ prefix: [UInt8], isComplete: Bool) throws(CalotypeError) -> ImageFacts? {
        let found: ImageFacts?
        do {
            found = try decoder.facts(ofPrefix: prefix)
        } catch {
            throw failure("\(error)", error, .probe)
        }
        guard let found else {
            guard prefix.count < ByteReader.windowLength else {
                throw failure("it finds no header in the first 64 KiB", nil, .probe)
            }
            guard isComplete else { return nil }
            throw ImageProbe.error(.outOfBytes)
        }
        let size = found.storedSize
        guard min(size.width, size.height) > 0, max(size.width, size.height) < 1 << 31 else {
            throw failure("it returned a size of \(size)", nil, .probe)
        }
        var facts = ImageFacts(format: .custom, storedSize: size)
        facts.customDecoder = identifier
        facts.orientation = (1...8).contains(found.orientation) ? found.orientation : 1
        facts.hasAlpha = found.hasAlpha
        facts.needsWholePicture = true
        return facts
    }

    /// Decodes `source`; `isCancelled` tells whether its result is still wanted.
    ///
    /// - Throws: `corrupt_image`, `file_not_readable`; the decoder's own `CalotypeError`; `CancellationError`.
    func bitmap(of source: OpenedSource, isCancelled: () -> Bool) throws -> Bitmap {
        let bytes = try source.encoded.bytes()
        let bitmap: Bitmap
        do {
            bitmap = try decoder.bitmap(of: bytes)
        } catch let error as CancellationError where isCancelled() {
            throw error
        } catch {
            throw failure("\(error)", error, .decode)
        }
        guard bitmap.size == source.facts.storedSize else {
            throw failure("it returned \(bitmap.size) pixels, not \(source.facts.storedSize)", nil, .decode)
        }
        guard bitmap.rgba.count == bitmap.size.pixelCount * 4 else {
            throw failure("it returned \(bitmap.rgba.count) bytes for \(bitmap.size) pixels", nil, .decode)
        }
        return bitmap
    }

    private func failure(
        _ reason: String,
        _ cause: (any Error)?,
        _ stage: CalotypeError.Stage
    ) -> CalotypeError {
        if let error = cause as? CalotypeError { return error }
        return CalotypeError(
            .corruptImage,
            "the decoder '\(identifier)' failed: \(reason)",
            stage: stage,
            cause: cause
        )
    }
}
