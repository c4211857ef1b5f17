internal import Calotype
internal import CalotypeCodec
internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypeFiles
internal import TaskFlow

/// Makes the pictures and the metadata of samples from their sources.
struct SampleMaker: Sendable {
    /// Number of pictures whose pixels are held at a time for perceptual hashes.
    private static let hashed = 4

    let pipeline: ImagePipeline
    private let options: DatasetOptions
    private let executor: ThreadExecutor
    private let hashing = AdmissionGate(capacity: Self.hashed)

    init(_ options: DatasetOptions, _ pipeline: ImagePipeline, executor: ThreadExecutor) {
        self.pipeline = pipeline
        self.options = options
        self.executor = executor
    }

    /// Makes the picture of a sample from its source.
    ///
    /// A failure is part of the sample, with what was already known of the source.
    ///
    /// - Throws: `CancellationError`.
    func made(
        _ sample: Sample,
        _ request: ImageRequest,
        _ source: HeldSource,
        blurring areas: [RelativeArea]
    ) async throws -> (Sample, [UInt8]) {
        var sample = sample
        do {
            let facts = source.info.facts
            let size = options.size(facts)
            sample.originalSize = size
            let bytes = try await originalBytes(of: source)
            if let function = options.hash.function {
                do throws(DigestError) {
                    sample.hash = try Digest(function, of: bytes).hexadecimal
                } catch {
                    throw CalotypeError(.storageFailed, "\(error)", stage: .store, cause: error)
                }
            }
            if options.extractsEXIF { sample.exif = SampleEXIF.json(of: bytes, facts.format) }
            if let expected = options.expectedHash(of: sample), expected != sample.hash {
                let message = "the bytes have the hash \(sample.hash ?? ""), the list says \(expected)"
                throw CalotypeError(.hashMismatch, message, stage: .body)
            }
            sample.size = size
            var pictures = [bytes]
            if !options.keepsOriginals {
                pictures = try await encoded(&sample, bytes, request, facts, blurring: areas)
            }
            sample.perceptualHash = try await perceptualHash(of: pictures[0], request)
            return (sample, pictures.count == 1 ? pictures[0] : pictures.flatMap(\.self))
        } catch let error as CalotypeError {
            return (sample.failed(error), [])
        }
    }

    /// Makes the pictures of a sample in all sizes, with one decode, unless its own `bytes` serve.
    private func encoded(
        _ sample: inout Sample,
        _ bytes: [UInt8],
        _ request: ImageRequest,
        _ facts: ImageFacts,
        blurring areas: [RelativeArea]
    ) async throws -> [[UInt8]] {
        let specs = try ([options.imageSize] + options.otherSizes).map { side throws(CalotypeError) in
            var transform = try options.transform(of: options.size(facts), side: side)
            transform.edits.blurredAreas = areas
            return RenditionSpec(transform, options.outputFormat)
        }
        if specs.allSatisfy({ options.keepsBytes(facts, $0.transform) }) {
            sample.others = specs.dropFirst().map { _ in .init(size: options.size(facts), bytes: bytes.count)
            }
            return specs.map { _ in bytes }
        }
        var renditions: [Rendition] = []
        if specs.count == 1 {
            var request = request
            (request.transform, request.output) = (specs[0].transform, specs[0].output)
            renditions = [try await pipeline.load(request)]
        } else {
            renditions = try await pipeline.load(request, as: specs).map { try $0.get() }
        }
        sample.size = renditions[0].size
        sample.others = renditions.dropFirst().map { .init(size: $0.size, bytes: $0.bytes.count) }
        return renditions.map(\.bytes)
    }

    /// Returns the perceptual hash of an encoded picture; `nil` if none is wanted.
    private func perceptualHash(of picture: [UInt8], _ request: ImageRequest) async throws -> UInt64? {
        guard options.hashesPictures else { return nil }
        var transform = Transform.none
        (transform.edits.background, transform.edits.ignoresOrientation) = (
            .white, options.ignoresOrientation
        )
        var stored = ImageRequest(.bytes(picture), transform)
        stored.limits = request.limits
        stored.limits.sizes = SizeFilter()
        stored.cachePolicy = .noStore
        return try await hashing.withPermit {
            let bitmap = try await pipeline.bitmap(for: stored)
            return try await executor.run { PerceptualHash.hash(of: bitmap) }
        }
    }

    /// Returns the source's bytes, or none if nobody needs them.
    private func originalBytes(of source: HeldSource) async throws -> [UInt8] {
        let isNeeded =
            options.hash != .none || options.keepsOriginals || options.skipsReencoding || options.extractsEXIF
        return isNeeded ? try await source.bytes() : []
    }
}

extension DatasetOptions {
    /// The size of a picture as it is stored in the dataset, if it is not scaled.
    func size(_ facts: ImageFacts) -> PixelSize {
        ignoresOrientation ? facts.storedSize : facts.size
    }

    /// Returns how to scale a picture of `size` for a box of `side`.
    fileprivate func transform(of size: PixelSize, side: Int) throws(CalotypeError) -> Transform {
        var transform = try resizeMode.transform(of: size, side: side, onlyIfBigger: resizesOnlyIfBigger)
        transform.edits.background = .white
        transform.edits.ignoresOrientation = ignoresOrientation
        return transform
    }

    /// Returns the hash that the list says for a sample; `nil` if none is to be checked.
    fileprivate func expectedHash(of sample: Sample) -> String? {
        guard hashColumn != nil, let field = sample.fields.last else { return nil }
        return (field.text ?? "").lowercased()
    }

    fileprivate var outputFormat: OutputFormat {
        switch encoding {
        case .jpg: .jpeg(quality: quality)
        case .png: .png
        case .webp: .webp(quality: quality)
        }
    }

    /// Whether the source's own bytes serve as the picture.
    fileprivate func keepsBytes(_ facts: ImageFacts, _ transform: Transform) -> Bool {
        guard skipsReencoding, transform.mode == .none, transform.edits.blurredAreas.isEmpty,
            facts.format.fileExtension == encoding.rawValue
        else { return false }
        return (facts.orientation == 1 || ignoresOrientation) && !facts.hasAlpha
    }
}

extension DatasetOptions.Hash {
    /// The function; `nil` for no hash.
    var function: DigestFunction? {
        switch self {
        case .sha256: .sha256
        case .sha512: .sha512
        case .md5: .md5
        case .none: nil
        }
    }
}

/// The EXIF fields of a source as JSON.
private enum SampleEXIF {
    /// Returns a JSON object of texts, `{}` if there are no fields.
    static func json(of bytes: [UInt8], _ format: ImageFormat) -> String {
        var object = JSONObject()
        for field in EXIFFields.fields(of: bytes, format) { object.add(field.name, string: field.value) }
        return object.text
    }
}
