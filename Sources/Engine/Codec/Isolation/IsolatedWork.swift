import CalotypeCore
import CalotypeFiles

/// What is done in worker processes, and their pool.
struct IsolatedWork: Sendable {
    let pool: WorkerPool
    private let isolation: DecoderIsolation
    /// What the codec may take for all decodes at a time.
    private let memory: ByteCount
    /// Creates the pool for `configuration`; `nil` where nothing is isolated.
    init?(_ configuration: ImageCodecConfiguration) {
        guard configuration.isolation != .none else { return nil }
        isolation = configuration.isolation
        memory = configuration.memory
        pool = WorkerPool(
            configuration.workers,
            most: configuration.threads,
            niceness: configuration.niceness
        )
    }

    /// Whether a decode is done in a worker.
    func takes(_ making: any PictureMaking, _ specs: [PictureSpec], of facts: ImageFacts) -> Bool {
        guard isolation == .slow, making.decoder == .fast else { return true }
        return specs.contains { spec in
            guard case .encoded(let rendition) = spec else { return false }
            return rendition.output.needsLibrary(source: facts.format)
        }
    }

    /// Whether the encoding of a bitmap is done in a worker.
    func takes(_ encoding: BitmapEncoding) -> Bool { isolation == .all || encoding.needsLibrary }

    /// Encodes a bitmap in a worker.
    ///
    /// - Throws: as ``perform(_:_:)``.
    func encode(_ bitmap: Bitmap, _ encoding: BitmapEncoding, _ killSwitch: KillSwitch) throws -> [UInt8] {
        let order = WorkerRequest(
            work: .encoding(bitmap.size, encoding),
            source: .memory(bitmap.rgba),
            estimate: 2 * bitmap.rgba.count
        )
        guard let picture = try perform(order, killSwitch).first?.get(),
            case .encoded(let bytes, _) = picture.content
        else {
            preconditionFailure("an answer without an encoded picture was let pass")
        }
        return bytes
    }

    /// Does a job in a worker, and gives what came of each of its pictures.
    ///
    /// - Throws: the worker's error for the whole job; `decoder_crashed`, `decoder_unavailable`; why the switch was pulled.
    func perform(_ order: WorkerRequest, _ killSwitch: KillSwitch) throws -> WorkerRequest.Outcomes {
        let job = WorkerJob(
            work: order.work,
            memory: pool.configuration.memory?.bytes ?? 2 * max(memory.bytes, order.estimate),
            answerBytes: order.mostBytes
        )
        let record = job.record
        // All that stand ready may turn out to have ended, and a new one.
        for _ in 0..<pool.mostWorkers + 2 {
            // A worker that was ended for a cancel looks like one that had ended before.
            try killSwitch.check()
            let worker = try pool.take(killSwitch)
            if let outcomes = try outcomes(of: order, record, worker, killSwitch) {
                return try outcomes.get()
            }
        }
        throw crashed("workers end before they are given anything to do")
    }

    /// Has `worker` do the job; `nil` where it had ended before it got it.
    private func outcomes(
        of order: WorkerRequest,
        _ record: [UInt8],
        _ worker: WorkerProcess,
        _ killSwitch: KillSwitch
    ) throws -> Result<WorkerRequest.Outcomes, CalotypeError>? {
        do {
            let outcomes = try worker.perform(order, record, killSwitch)
            if outcomes == nil { pool.ended(worker) } else { pool.giveBack(worker) }
            return outcomes
        } catch let error as CodecError {
            let end = pool.ended(worker)
            if case .workerEnded = error { throw crashed(end.description) }
            throw crashed(error.description)
        } catch let error as SystemError {
            pool.ended(worker)
            throw CalotypeError(
                .decoderCrashed,
                "the process that decodes: \(error)",
                stage: .decode,
                cause: error
            )
        } catch {
            pool.ended(worker)
            throw error
        }
    }

    private func crashed(_ reason: String) -> CalotypeError {
        CalotypeError(.decoderCrashed, "the process that decodes has failed: \(reason)", stage: .decode)
    }
}

/// The way of a worker process: what another way would make here is made there.
struct WorkerMaking: PictureMaking {
    /// It waits, and asks meanwhile.
    let asksWhetherToStop = true

    private let way: any PictureMaking
    private let specs: [PictureSpec]
    private let source: OpenedSource
    private let limits: ImageLimits
    private let work: IsolatedWork

    init(
        _ way: any PictureMaking,
        _ specs: [PictureSpec],
        of source: OpenedSource,
        limits: ImageLimits,
        in work: IsolatedWork
    ) {
        self.way = way
        self.specs = specs
        self.source = source
        self.limits = limits
        self.work = work
    }

    var decoder: PictureDecoder { way.decoder }

    /// On the way to the worker a source in memory is copied twice, on the way back the pixels of results.
    var bytes: Int {
        let bitmaps = specs.reduce(0) { $0 + $1.bitmapBytes(of: source.facts) }
        guard case .memory(let bytes) = source.encoded else { return way.bytes + bitmaps }
        return way.bytes + bitmaps + 2 * bytes.count
    }

    func make(_ killSwitch: KillSwitch) throws -> [PictureSpec: Result<MadePicture, CalotypeError>] {
        let order = WorkerRequest(
            work: .pictures(specs, source.facts, isCut: source.isCut, limits, way.decoder),
            source: source.encoded,
            estimate: way.bytes
        )
        return Dictionary(zip(specs, try work.perform(order, killSwitch))) { first, _ in first }
    }
}
