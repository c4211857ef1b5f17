import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import TaskFlow

/// A worker process from the program's view, which runs one job at a time.
///
/// Its holder ends it and waits for its end.
final class WorkerProcess: Sendable, Stoppable {
    private struct State {
        var jobs: UInt64 = 0
        /// The process number that it has reported.
        var process: Int?
        var end: WorkerEnd?
    }

    let id: Int
    let channel: WorkerChannel
    let template: WorkerTemplate
    private let leash: WorkerLeash
    private let state = Guarded(State())
    /// The amount of shared memory to keep between jobs.
    private static let keptMemory = 4 << 20
    /// How long a template may take to end a worker before the template itself is ended.
    private static let endTime = Duration.seconds(2)

    /// Requests the fork of a worker, which reports when it is ready.
    ///
    /// - Throws: `SystemError` if the template has ended, or cannot accept more work.
    init(_ id: Int, of template: WorkerTemplate) throws(SystemError) {
        let (own, worker) = try WorkerChannel.pair()
        let (leash, other) = try WorkerLeash.pair()
        self.id = id
        self.template = template
        self.leash = leash
        channel = own
        try template.fork(worker, other)
    }

    /// Records that the worker is ready, and its process number.
    func isReady(as process: Int) {
        template.hasForked()
        state.withLock { $0.process = process }
    }

    /// Ends the process.
    ///
    /// A thread that waits for its reply sees the end.
    func stop() {
        leash.release()
    }

    /// Ends the process and waits for its end; only its holder calls this.
    @discardableResult
    func end() -> WorkerEnd {
        if let end = state.withLock({ $0.end }) { return end }
        leash.release()
        // The template may never read the request.
        if !template.isReady { template.stop() }
        let end = leash.end(within: Self.endTime) ?? endWithTemplate()
        if end == .orphaned { outlive() }
        state.withLock { $0.end = end }
        return end
    }

    private func endWithTemplate() -> WorkerEnd {
        template.stop()
        return leash.end(within: nil) ?? .orphaned
    }

    /// Waits for the end of a worker whose template has ended.
    ///
    /// The system ends the worker, or the worker finds that the other end is closed.
    private func outlive() {
        channel.socket.close()
        channel.socket.waitForEnd()
    }

    /// Runs a job in the worker, and reads the results for its pictures.
    ///
    /// - Returns: `nil` if the worker had ended before it received the job.
    /// - Throws: The reason why the switch was pulled, which ends the worker; `CodecError`.
    func perform(
        _ order: WorkerRequest,
        _ record: [UInt8],
        _ killSwitch: KillSwitch
    ) throws -> Result<WorkerRequest.Outcomes, CalotypeError>? {
        try killSwitch.guards(self)
        defer { killSwitch.rest() }
        let number = state.withLock { state in
            state.jobs += 1
            return state.jobs
        }
        guard try send(record, order.source, number) else { return nil }
        guard let range = try answer(to: number, killSwitch) else { return nil }
        guard range.count <= WorkerResponse.mostRecord(order.count) else { throw CodecError.nonsense }
        let outcomes = try order.outcomes(try read(range), read)
        // A pull from here on finds nothing to stop; an earlier one may have ended the worker.
        killSwitch.rest()
        try killSwitch.check()
        return outcomes
    }

    /// Waits until the job with this number is done, and returns the range of its reply.
    ///
    /// Returns `nil` if the worker never received the job.
    private func answer(to number: UInt64, _ killSwitch: KillSwitch) throws -> Range<Int>? {
        while true {
            guard channel.socket.wait(killSwitch.timeLeft) else {
                try killSwitch.check()
                continue
            }
            switch try received() {
            case .nothing: try killSwitch.check()
            case .end: throw CodecError.workerEnded
            case .endUnread: return nil
            case .message(.done(number, let range)): return range
            case .message: throw CodecError.nonsense
            }
        }
    }

    private func received() throws(CodecError) -> WorkerSocket.Arrival {
        do throws(SystemError) {
            return try channel.socket.receive()
        } catch {
            throw .nonsense
        }
    }

    /// Reads `range` of the shared memory, which the worker has written.
    private func read(_ range: Range<Int>) throws(CodecError) -> [UInt8] {
        do throws(SystemError) {
            let bytes = try channel.memory.read(range.count, at: range.lowerBound)
            if bytes.count == range.count { return bytes }
        } catch {
            throw .system(error)
        }
        throw .nonsense
    }

    /// Frees the memory of a large job.
    func tidy() {
        channel.memory.trim(to: Self.keptMemory)
    }

    /// Whether the worker has done enough jobs, or has grown too large.
    func isWorn(_ configuration: WorkerConfiguration) -> Bool {
        state.withLock { $0.jobs } >= configuration.jobs || ownBytes > configuration.largestIdle.bytes
    }

    /// The memory that only this process uses, as reported by the system.
    private var ownBytes: Int {
        guard let process = state.withLock({ $0.process }),
            let file = try? OpenFile("/proc/\(process)/statm", O_RDONLY), let bytes = try? file.read(128)
        else {
            return 0
        }
        let pages = String(decoding: bytes, as: UTF8.self).split(separator: " ").prefix(3).compactMap {
            Int($0)
        }
        return pages.count == 3 ? (pages[1] - pages[2]) * Int(getpagesize()) : 0
    }

    /// Sends the job.
    ///
    /// Returns `false` if the worker had ended before.
    private func send(_ record: [UInt8], _ source: EncodedSource, _ number: UInt64) throws -> Bool {
        do throws(SystemError) {
            try channel.memory.write(record, at: 0)
            var files: [OpenFile] = []
            switch source {
            case .memory(let bytes): try channel.memory.write(bytes, at: record.count)
            case .file(let file): files = [file.file]
            }
            let job = WorkerMessage.job(
                number: number,
                record: record.count,
                source: source.count,
                isFile: !files.isEmpty
            )
            try channel.socket.send(job, files)
            return true
        } catch {
            if error.isClosedPeer { return false }
            throw CodecError.system(error)
        }
    }
}

/// The program's hold on a forked worker.
///
/// The program releases the worker, and the template, which is its parent, ends it and reports how it ended.
/// So only the parent uses the worker's process number, which may be reused as soon as the parent has reaped
/// the worker.
struct WorkerLeash: Sendable {
    private let socket: WorkerSocket

    /// Creates a leash, and the template's end of it.
    static func pair() throws(SystemError) -> (own: WorkerLeash, template: WorkerSocket) {
        let (own, other) = try WorkerSocket.pair()
        return (WorkerLeash(socket: own), other)
    }

    /// Requests the end of the worker, without waiting for it.
    func release() {
        socket.close()
    }

    /// Waits, for at most `limit`, until the worker is released and has ended.
    ///
    /// - Returns: How it ended; `nil` if the template reports nothing in that time.
    func end(within limit: Duration?) -> WorkerEnd? {
        guard socket.wait(limit) else { return nil }
        guard case .message(.ended(let end)) = try? socket.receive() else { return .orphaned }
        return end
    }
}

extension CodecError {
    /// The worker sent an invalid reply.
    static let nonsense = CodecError.corrupt("its response is invalid")
}
