import CalotypeCore
import CalotypeFiles
import Glibc
import TaskFlow

/// A worker process, seen from the program: does a job at a time, and is ended and waited for by whoever holds it.
final class WorkerProcess: Sendable, Stoppable {
    private struct State {
        var jobs: UInt64 = 0
        /// The number that it has told.
        var process: Int?
        var end: WorkerEnd?
    }

    let id: Int
    let channel: WorkerChannel
    let template: WorkerTemplate
    private let leash: WorkerLeash
    private let state = Guarded(State())
    /// What the shared memory may keep between jobs.
    private static let keptMemory = 4 << 20
    /// How long a template may take to end a worker, before it is ended itself.
    private static let endTime = Duration.seconds(2)

    /// Has a worker forked; it says when it is ready.
    ///
    /// - Throws: `SystemError` where the template has ended, or has more to do than it can take.
    init(_ id: Int, of template: WorkerTemplate) throws(SystemError) {
        let (own, worker) = try WorkerChannel.pair()
        let (leash, other) = try WorkerLeash.pair()
        self.id = id
        self.template = template
        self.leash = leash
        channel = own
        try template.fork(worker, other)
    }

    /// Takes note that it is ready, and of its number.
    func isReady(as process: Int) {
        template.hasForked()
        state.withLock { $0.process = process }
    }

    /// Ends the process; whoever waits for its answer sees the end.
    func stop() {
        leash.release()
    }

    /// Ends the process and waits for that; called by the one who holds it.
    @discardableResult
    func end() -> WorkerEnd {
        if let end = state.withLock({ $0.end }) { return end }
        leash.release()
        // It may never come to read what it is asked.
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

    /// Waits for the end of a worker whose template has ended: the system ends it, or it sees that nobody is there.
    private func outlive() {
        channel.socket.close()
        channel.socket.waitForEnd()
    }

    /// Has the worker do a job, and reads what came of its pictures.
    ///
    /// - Returns: `nil` where the worker had ended before it got the job.
    /// - Throws: why the switch was pulled, which ends the worker; `CodecError`.
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
        guard range.count <= WorkerAnswer.mostRecord(order.count) else { throw CodecError.nonsense }
        let outcomes = try order.outcomes(try read(range), read)
        // A pull from here on finds nothing to stop; one before may have ended the worker.
        killSwitch.rest()
        try killSwitch.check()
        return outcomes
    }

    /// Waits until the job of that number is done, and gives the place of its answer; `nil` where it never got it.
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

    /// Reads `range` of the shared memory, where the worker has written.
    private func read(_ range: Range<Int>) throws(CodecError) -> [UInt8] {
        do throws(SystemError) {
            let bytes = try channel.memory.read(range.count, at: range.lowerBound)
            if bytes.count == range.count { return bytes }
        } catch {
            throw .system(error)
        }
        throw .nonsense
    }

    /// Gives back the memory that a large job took.
    func tidy() {
        channel.memory.trim(to: Self.keptMemory)
    }

    /// Whether it has worked for long enough, or grown.
    func isWorn(_ configuration: WorkerConfiguration) -> Bool {
        state.withLock { $0.jobs } >= configuration.jobs || ownBytes > configuration.largestIdle.bytes
    }

    /// The memory that is its alone, as far as the system tells.
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

    /// Whether the worker was there to get the job.
    private func send(_ record: [UInt8], _ source: EncodedSource?, _ number: UInt64) throws -> Bool {
        do throws(SystemError) {
            try channel.memory.write(record, at: 0)
            switch source {
            case .memory(let bytes):
                try channel.memory.write(bytes, at: record.count)
                try channel.socket.send(.job(number: number, record: record.count, source: bytes.count))
            case .file(let file):
                try channel.socket.send(.job(number: number, record: record.count, source: nil), [file.file])
            case nil: try channel.socket.send(.job(number: number, record: record.count, source: 0))
            }
            return true
        } catch {
            if error.isOfNobody { return false }
            throw CodecError.system(error)
        }
    }
}

/// What holds a worker that was forked: the program lets go of it, and the template, whose child the worker is, ends it and
/// tells how it ended.
///
/// So nobody but its parent names the worker by its number, which may be another's as soon as the parent has waited for it.
struct WorkerLeash: Sendable {
    private let socket: WorkerSocket

    /// Makes a leash, and the template's end of it.
    static func pair() throws(SystemError) -> (own: WorkerLeash, template: WorkerSocket) {
        let (own, other) = try WorkerSocket.pair()
        return (WorkerLeash(socket: own), other)
    }

    /// Has the worker ended, without waiting for that.
    func release() {
        socket.close()
    }

    /// Waits, at most `limit`, until the worker is released and has ended.
    ///
    /// - Returns: how it ended; `nil` where the template says nothing in that time.
    func end(within limit: Duration?) -> WorkerEnd? {
        guard socket.wait(limit) else { return nil }
        guard case .message(.ended(let end)) = try? socket.receive() else { return .orphaned }
        return end
    }
}

extension CodecError {
    /// What a worker sent makes no sense.
    static let nonsense = CodecError.corrupt("its answer makes no sense")
}
