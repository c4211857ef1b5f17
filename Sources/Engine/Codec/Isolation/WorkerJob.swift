import CalotypeCore
import CalotypeFiles

/// A job for a worker, with everything it needs except the source's bytes.
struct WorkerJob {
    enum Work {
        /// The pictures of one decode.
        case pictures([PictureSpec], ImageFacts, isCut: Bool, ImageLimits, PictureDecoder)
        /// Encoding a bitmap, whose pixels are the source.
        case encoding(PixelSize, BitmapEncoding)
    }

    var work: Work
    /// The maximum memory of the job.
    var memory: Int
    /// The maximum size of the reply.
    var responseBytes: Int
    /// The maximum time that its threads compute in total.
    var computingSeconds: Int

    private static let layout = UInt8(WorkerMessage.version)

    /// The job as bytes.
    var record: [UInt8] {
        var writer = RecordWriter(version: Self.layout)
        writer.add(memory)
        writer.add(responseBytes)
        writer.add(computingSeconds)
        switch work {
        case .pictures(let specs, let facts, let isCut, let limits, let decoder):
            writer.add(true)
            writer.add(specs.count)
            for spec in specs { writer.add(spec) }
            writer.add(facts)
            writer.add(isCut)
            writer.add(limits)
            writer.add(optional: decoder.reason) { $0.add($1) }
        case .encoding(let size, let encoding):
            writer.add(false)
            writer.add(size)
            writer.add(encoding)
        }
        return writer.bytes
    }
}

extension WorkerJob {
    /// Reads a job.
    init(record: [UInt8]) throws(SystemError) {
        var reader = try RecordReader(record, version: Self.layout)
        memory = try reader.number()
        responseBytes = try reader.number()
        computingSeconds = try reader.number()
        if try reader.flag() {
            var specs: [PictureSpec] = []
            for _ in 0..<(try reader.number(in: 0...record.count)) { specs.append(try reader.spec()) }
            let facts = try reader.facts()
            let isCut = try reader.flag()
            let limits = try reader.limits()
            let reason = try reader.optional { reader throws(SystemError) in try reader.text() }
            let decoder = reason.map { PictureDecoder.libvips(reason: $0) } ?? .fast
            work = .pictures(specs, facts, isCut: isCut, limits, decoder)
        } else {
            let size = try reader.size()
            work = .encoding(size, try reader.encoding())
        }
        try reader.finish()
    }
}

extension PictureDecoder {
    /// The reason why libvips was chosen; `nil` for the fast path.
    fileprivate var reason: String? {
        switch self {
        case .fast: nil
        case .libvips(let reason): reason
        }
    }
}

/// A job with its source, and the limits for its reply.
struct WorkerRequest {
    typealias Outcomes = [Result<CodedPicture, CalotypeError>]

    let work: WorkerJob.Work
    let source: EncodedSource
    /// The estimate of the memory for the job.
    let estimate: Int

    /// The bytes that formats need besides their samples, even for small pictures.
    private static let overhead = 1 << 20

    /// The number of pictures to make.
    var count: Int {
        switch work {
        case .pictures(let specs, _, _, _, _): specs.count
        case .encoding: 1
        }
    }

    /// The maximum number of bytes that the worker may write.
    var mostBytes: Int { count * mostBytes(mostPixels) + WorkerResponse.mostRecord(count) }

    /// Reads the result for each picture from the record of a reply, which may be anything.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - read: Reads from the memory that the worker has written to.
    /// - Returns: The result for each picture, in the order of the job, or the error for all.
    /// - Throws: `CodecError` if the reply is invalid.
    func outcomes(
        _ record: [UInt8],
        _ read: (Range<Int>) throws(CodecError) -> [UInt8]
    ) throws(CodecError) -> Result<Outcomes, CalotypeError> {
        switch try answer(record) {
        case .failure(let error): return .failure(error)
        case .pictures(let pictures):
            var outcomes: Outcomes = []
            for (index, picture) in pictures.enumerated() {
                switch picture {
                case .failure(let error): outcomes.append(.failure(error))
                case .success(let picture):
                    guard allows(picture, at: index) else { throw .nonsense }
                    outcomes.append(.success(CodedPicture(picture, try read(picture.bytes), of: work)))
                }
            }
            return .success(outcomes)
        }
    }

    private func answer(_ record: [UInt8]) throws(CodecError) -> WorkerResponse {
        do throws(SystemError) {
            return try WorkerResponse(record: record, count: count)
        } catch {
            throw .nonsense
        }
    }

    /// Whether the worker may return `picture` for the spec at `index`.
    private func allows(_ picture: WorkerResponse.Picture, at index: Int) -> Bool {
        let size = picture.size
        guard size.width > 0, size.height > 0, size.pixelCount <= mostPixels else { return false }
        guard picture.format != nil else {
            return !isEncoded(index) && picture.bytes.count == size.pixelCount * 4
        }
        return isEncoded(index) && picture.bytes.count <= mostBytes(size.pixelCount)
    }

    private func isEncoded(_ index: Int) -> Bool {
        guard case .pictures(let specs, _, _, _, _) = work, case .pixels = specs[index] else { return true }
        return false
    }

    /// The maximum number of pixels of a result.
    private var mostPixels: Int {
        // The arithmetic must not overflow, whatever the limits allow.
        switch work {
        case .pictures(_, _, _, let limits, _): min(limits.pixels, 1 << 36)
        case .encoding(let size, _): min(size.pixelCount, 1 << 36)
        }
    }

    /// The maximum size of an encoded picture.
    ///
    /// It may include the source's metadata, and incompressible samples take a little more than their own
    /// size.
    private func mostBytes(_ pixels: Int) -> Int { pixels * 8 + source.count + Self.overhead }
}

extension WorkerJob.Work {
    /// The header of the source; that of a bitmap says what it becomes.
    var sourceFacts: ImageFacts {
        switch self {
        case .pictures(_, let facts, _, _, _): facts
        case .encoding(let size, let encoding): ImageFacts(format: encoding.format, storedSize: size)
        }
    }

    /// The decoder; `nil` for a bitmap.
    fileprivate var decoder: PictureDecoder? {
        guard case .pictures(_, _, _, _, let decoder) = self else { return nil }
        return decoder
    }
}

extension CodedPicture {
    /// Assembles a picture from a worker's reply to `work`.
    fileprivate init(_ picture: WorkerResponse.Picture, _ bytes: [UInt8], of work: WorkerJob.Work) {
        self.init(
            picture.format.map { .encoded(bytes, $0) } ?? .pixels(Bitmap(size: picture.size, rgba: bytes)),
            size: picture.size,
            source: work.sourceFacts,
            isPartial: picture.isPartial,
            decoder: work.decoder,
            decoding: picture.decoding,
            encoding: picture.encoding
        )
    }
}
