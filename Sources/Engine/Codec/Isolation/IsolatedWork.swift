import CalotypeCore
import CalotypeFiles
import CalotypePlatform

/// The work that runs in worker processes, and their pool.
struct IsolatedWork: Sendable {
    let pool: WorkerPool
    private let isolation: DecoderIsolation
    /// The memory that the codec may use for all concurrent decodes.
    private let memory: ByteCount
    /// Creates the pool for `configuration`; `nil` if nothing is isolated.
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

    /// Whether a worker does the decode; it does not have the program's own decoders.
    func takes(_ making: any PictureMaking, _ specs: [PictureSpec], of facts: ImageFacts) -> Bool {
        guard facts.format != .custom else { return false }
        guard isolation == .slow, making.decoder == .fast else { return true }
        return specs.contains { spec in
            guard case .encoded(let rendition) = spec else { return false }
            return rendition.output.needsLibrary(source: facts.format)
        }
    }

    /// Whether a worker encodes the bitmap; it does not have the program's own encoders.
    func takes(_ encoding: BitmapEncoding) -> Bool {
        encoding.format != .custom && (isolation == .all || encoding.needsLibrary)
    }

    /// Encodes a bitmap in a worker.
    ///
    /// - Throws: The errors of ``perform(_:_:)``.
    func encode(_ bitmap: Bitmap, _ encoding: BitmapEncoding, _ killSwitch: KillSwitch) throws -> [UInt8] {
        let order = WorkerRequest(
            work: .encoding(bitmap.size, encoding),
            source: .memory(bitmap.rgba),
            estimate: 2 * bitmap.rgba.count + encoding.pixelBytes * bitmap.size.pixelCount
        )
        guard let picture = try perform(order, killSwitch).first?.get(),
            case .encoded(let bytes, _) = picture.content
        else {
            preconditionFailure("an answer without an encoded picture was let pass")
        }
        return bytes
    }

    /// Runs a job in a worker, and returns the result for each of its pictures.
    ///
    /// - Throws: The worker's error for the whole job; `decoder_crashed`, `decoder_unavailable`; the reason
    ///   why the switch was pulled.
    func perform(_ order: WorkerRequest, _ killSwitch: KillSwitch) throws -> WorkerRequest.Outcomes {
        let job = WorkerJob(
            work: order.work,
            memory: pool.configuration.memory?.bytes ?? 2 * max(memory.bytes, order.estimate),
            responseBytes: order.mostBytes,
            computingSeconds: killSwitch.mostComputingSeconds
        )
        let record = job.record
        // All ready workers may turn out to have ended, and so may a new one.
        for _ in 0..<pool.mostWorkers + 2 {
            // A worker that was ended because of a cancellation looks like one that had ended before.
            try killSwitch.check()
            let worker = try pool.take(killSwitch)
            if let outcomes = try outcomes(of: order, record, worker, killSwitch) {
                return try outcomes.get()
            }
        }
        throw crashed("workers end before they are given anything to do")
    }

    /// Runs the job in `worker`; `nil` if it had ended before it received the job.
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
                "the decoding process: \(error)",
                stage: .decode,
                cause: error
            )
        } catch {
            pool.ended(worker)
            throw error
        }
    }

    private func crashed(_ reason: String) -> CalotypeError {
        CalotypeError(.decoderCrashed, "the decoding process failed: \(reason)", stage: .decode)
    }
}

extension KillSwitch {
    /// The time that all processors can compute until the time is up.
    ///
    /// The worker is killed at that time; the limit is for a program that is itself stopped.
    fileprivate var mostComputingSeconds: Int {
        let seconds = Int(min(max(timeLeft.components.seconds, 0), 1 << 24)) + 1
        return seconds * Platform.processorCount
    }
}

/// Makes pictures in a worker process, as another decoder would here.
struct WorkerMaking: PictureMaking {
    /// True, because it waits and checks the switch in the meantime.
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

    /// The estimate of the memory, with all copies between the processes.
    ///
    /// A source in memory is copied twice on the way to the worker, and so are the result's pixels on the way
    /// back.
    var bytes: Int {
        let bitmaps = specs.reduce(0) { $0 + $1.bitmapBytes(of: source.facts) }
        guard case .memory(let bytes) = source.encoded else { return way.bytes + bitmaps }
        return way.bytes + bitmaps + 2 * bytes.count
    }

    func make(_ killSwitch: KillSwitch) throws -> [PictureSpec: Result<CodedPicture, CalotypeError>] {
        let order = WorkerRequest(
            work: .pictures(specs, source.facts, isCut: source.isCut, limits, way.decoder),
            source: source.encoded,
            estimate: way.bytes
        )
        return Dictionary(zip(specs, try work.perform(order, killSwitch))) { first, _ in first }
    }
}
