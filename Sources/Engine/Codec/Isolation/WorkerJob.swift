import CalotypeCore

/// What a worker is asked to do, with everything it needs but the source's bytes.
struct WorkerJob {
    enum Work {
        /// The pictures of one decode.
        case pictures([PictureSpec], ImageFacts, isCut: Bool, ImageLimits, PictureDecoder)
        /// Encoding a bitmap, whose pixels are the source.
        case encoding(PixelSize, BitmapEncoding)
    }

    var work: Work
    /// How much memory it may take.
    var memory: Int
    /// The most bytes of its answer.
    var answerBytes: Int

    private static let layout = UInt8(WorkerMessage.version)

    /// The job as bytes.
    var record: [UInt8] {
        var writer = RecordWriter(version: Self.layout)
        writer.add(memory)
        writer.add(answerBytes)
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
    init(record: [UInt8]) throws(RecordDamage) {
        var reader = try RecordReader(record, version: Self.layout)
        memory = try reader.number()
        answerBytes = try reader.number()
        if try reader.flag() {
            var specs: [PictureSpec] = []
            for _ in 0..<(try reader.number(in: 0...record.count)) { specs.append(try reader.spec()) }
            let facts = try reader.facts()
            let isCut = try reader.flag()
            let limits = try reader.limits()
            let reason = try reader.optional { reader throws(RecordDamage) in try reader.text() }
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
    /// Why libvips was chosen; `nil` for the fast path.
    fileprivate var reason: String? {
        switch self {
        case .fast: nil
        case .libvips(let reason): reason
        }
    }
}
