import CalotypeCore

/// A job with its source, and what its answer may be.
struct WorkerOrder {
    typealias Outcomes = [Result<MadePicture, CalotypeError>]

    let work: WorkerJob.Work
    let source: EncodedSource
    /// The estimate of the memory that it takes.
    let estimate: Int

    /// What formats need beside their samples, and small pictures at all.
    private static let overhead = 1 << 20

    /// How many pictures are made.
    var count: Int {
        switch work {
        case .pictures(let specs, _, _, _, _): specs.count
        case .encoding: 1
        }
    }

    /// The most bytes that the worker may write.
    var mostBytes: Int { count * mostBytes(mostPixels) + WorkerAnswer.mostRecord(count) }

    /// What came of each picture, from the record of an answer, which may be anything; a failure is that of the whole job.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - read: Reads from the memory that the worker has written to.
    /// - Returns: what came of each, in the order of the job, or of all.
    /// - Throws: `WorkerFault` where the answer makes no sense.
    func outcomes(
        _ record: [UInt8],
        _ read: (Range<Int>) throws(WorkerFault) -> [UInt8]
    ) throws(WorkerFault) -> Result<Outcomes, CalotypeError> {
        switch try answer(record) {
        case .failure(let error): return .failure(error)
        case .pictures(let pictures):
            var outcomes: Outcomes = []
            for (index, picture) in pictures.enumerated() {
                switch picture {
                case .failure(let error): outcomes.append(.failure(error))
                case .success(let picture):
                    guard allows(picture, at: index) else { throw .nonsense }
                    outcomes.append(.success(MadePicture(picture, try read(picture.bytes))))
                }
            }
            return .success(outcomes)
        }
    }

    private func answer(_ record: [UInt8]) throws(WorkerFault) -> WorkerAnswer {
        do throws(RecordDamage) {
            return try WorkerAnswer(record: record, count: count)
        } catch {
            throw .nonsense
        }
    }

    /// Whether the worker may give `picture` for the one that was asked for at `index`.
    private func allows(_ picture: WorkerAnswer.Picture, at index: Int) -> Bool {
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

    /// The most pixels of a result.
    private var mostPixels: Int {
        // Whatever the limits let through, the arithmetic does not overflow.
        switch work {
        case .pictures(_, _, _, let limits, _): min(limits.pixels, 1 << 36)
        case .encoding(let size, _): min(size.pixelCount, 1 << 36)
        }
    }

    /// The most bytes of an encoded picture: metadata of the source may be kept, and samples that cannot be compressed
    /// take a little more than they are.
    private func mostBytes(_ pixels: Int) -> Int { pixels * 8 + source.count + Self.overhead }
}

extension MadePicture {
    /// Puts together what a worker told.
    fileprivate init(_ picture: WorkerAnswer.Picture, _ bytes: [UInt8]) {
        if let format = picture.format {
            content = .encoded(bytes, format)
        } else {
            content = .pixels(Bitmap(size: picture.size, rgba: bytes))
        }
        size = picture.size
        isPartial = picture.isPartial
        decoding = picture.decoding
        encoding = picture.encoding
    }
}
