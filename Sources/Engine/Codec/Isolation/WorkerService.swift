import CalotypeCPOSIX
import CalotypeCore
import CalotypeFiles
import CalotypePlatform

/// The work of a worker process: runs job after job on its main thread, until the program is gone.
struct WorkerService {
    private let channel: WorkerChannel
    private let trial: WorkerTrial
    private let path = FastPath()

    init(_ channel: WorkerChannel, _ trial: WorkerTrial) {
        self.channel = channel
        self.trial = trial
    }

    /// Serves jobs, or becomes a template if the first message says so, and ends the process.
    func run() -> Never {
        unsafe cworker_begin(DecoderWorker.argument)
        // Otherwise a file system that contains the current folder could not be unmounted.
        _ = unsafe chdir("/")
        // Warms up the process. The jobs that need libvips report a problem with it.
        Libvips.loadPlugins()
        serve(isConfined: false)
    }

    /// Serves jobs in a forked process, and ends it.
    func runForked() -> Never {
        unsafe cworker_name(DecoderWorker.argument)
        confine()
        serve(isConfined: true)
    }

    /// Drops the rights that decoding does not need, before the first byte of an image arrives.
    ///
    /// A system that lacks a part of the sandbox must still decode: see ``DecoderWorker/missingProtection``.
    private func confine() {
        cworker_confine(trial.namesRefusedCalls ? 1 : 0)
        if trial.isConfined { _ = csandbox_enter(trial.namesRefusedCalls ? 1 : 0) }
        Libvips.allowGuardedFormats()
    }

    private func serve(isConfined: Bool) -> Never {
        do {
            try channel.socket.respond(.ready(version: WorkerMessage.version, process: Int(getpid())))
            var isWorker = isConfined
            while true {
                guard channel.socket.wait() else { continue }
                let (arrival, files) = try channel.socket.receiveWithFiles()
                switch arrival {
                case .nothing: continue
                case .message(.template) where !isWorker:
                    var template = try TemplateService(channel.socket, trial)
                    try template.run()
                case .message(.job(let number, let record, let source, let isFile)):
                    if !isWorker { confine() }
                    isWorker = true
                    // A process without room for the descriptor received none.
                    guard isFile == !files.isEmpty else { _exit(1) }
                    try serve(number, record: record, source: source, files.first)
                case .message, .end, .endUnread: _exit(0)
                }
            }
        } catch {
            _exit(1)
        }
    }

    private func serve(_ number: UInt64, record length: Int, source: Int, _ file: OpenFile?) throws {
        let job = try WorkerJob(record: try channel.memory.read(length, at: 0))
        let encoded = try self.source(source, at: length, file)
        _ = cworker_limit(UInt64(job.memory), UInt64(job.responseBytes), UInt64(job.computingSeconds))
        trial.onJob(job.firstTransform, channel.socket.descriptor)
        let (answer, contents) = answer(to: job, encoded)
        var end = 0
        for content in contents {
            try channel.memory.write(content, at: end)
            end += content.count
        }
        let record = answer.record
        try channel.memory.write(record, at: end)
        try channel.socket.respond(.done(number: number, record: end..<end + record.count))
    }

    private func source(_ count: Int, at offset: Int, _ file: OpenFile?) throws -> EncodedSource {
        if let file { return .file(PictureFile(file, count: count)) }
        return .memory(try channel.memory.read(count, at: offset))
    }

    /// Runs a job, and returns the pictures' bytes in the order in which the reply places them.
    private func answer(to job: WorkerJob, _ source: EncodedSource) -> (WorkerResponse, [[UInt8]]) {
        do {
            switch job.work {
            case .pictures(let specs, let facts, let isCut, let limits, let decoder):
                let opened = OpenedSource(encoded: source, facts: facts, isCut: isCut)
                let choice = DecoderChoice(decoder, path)
                let making = try choice.making(specs, of: opened, limits: limits)
                let made = try making.make(.endless)
                return Self.placed(specs.map { made[$0] })
            case .encoding(let size, let encoding):
                return Self.placed([.success(try picture(job.work, size, encoding, try source.bytes()))])
            }
        } catch let error as CalotypeError {
            return (.failure(error), [])
        } catch {
            return (.failure(CalotypeError(.corruptImage, "\(error)", stage: .decode)), [])
        }
    }

    private func picture(
        _ work: WorkerJob.Work,
        _ size: PixelSize,
        _ encoding: BitmapEncoding,
        _ rgba: [UInt8]
    ) throws -> CodedPicture {
        guard rgba.count == size.pixelCount * 4 else { throw SystemError.notARecord }
        let start = ContinuousClock.now
        let bytes = try encoding.encode(Bitmap(size: size, rgba: rgba), .endless)
        return CodedPicture(
            .encoded(bytes, encoding.format),
            size: size,
            source: work.sourceFacts,
            encoding: .now - start
        )
    }

    private static func placed(
        _ made: [Result<CodedPicture, CalotypeError>?]
    ) -> (WorkerResponse, [[UInt8]]) {
        var contents: [[UInt8]] = []
        var end = 0
        let pictures = made.map { made -> Result<WorkerResponse.Picture, CalotypeError> in
            guard let made else {
                return .failure(CalotypeError(.encodeFailed, "no picture was made", stage: .encode))
            }
            return made.map { picture in
                let (format, bytes) = picture.content.parts
                contents.append(bytes)
                defer { end += bytes.count }
                return WorkerResponse.Picture(
                    format: format,
                    bytes: end..<end + bytes.count,
                    size: picture.size,
                    isPartial: picture.isPartial,
                    decoding: picture.decoding,
                    encoding: picture.encoding
                )
            }
        }
        return (.pictures(pictures), contents)
    }
}

extension KillSwitch {
    /// A switch that is never pulled: a worker is ended from outside.
    fileprivate static var endless: KillSwitch { KillSwitch(limit: .seconds(1 << 40)) }
}

extension WorkerJob {
    /// The transform of the first picture.
    fileprivate var firstTransform: Transform? {
        guard case .pictures(let specs, _, _, _, _) = work else { return nil }
        return specs.first?.transform
    }
}

extension CodedPicture.Content {
    /// The format of encoded bytes, or `nil` for pixels, and the bytes.
    fileprivate var parts: (ImageFormat?, [UInt8]) {
        switch self {
        case .encoded(let bytes, let format): (format, bytes)
        case .pixels(let bitmap): (nil, bitmap.rgba)
        }
    }
}
