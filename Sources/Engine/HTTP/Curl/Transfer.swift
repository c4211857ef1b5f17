import CalotypeCore
import CalotypeHTTPMessages
import TaskFlow

/// One exchange, shared by the loop that performs it and the task that reads the response.
final class Transfer: BodySource {
    private struct State {
        var machine = TransferStateMachine()
        var timings: HTTPTimings
        /// When the head arrived completely.
        var bodyStart: ContinuousClock.Instant?
    }

    let request: HTTPRequest
    /// The `host:port:address,…` entry that spares libcurl the lookup; `nil` if the host is an address.
    let resolution: String?
    /// The loop that performs, resumes and ends the transfer.
    private let loop: CurlLoop
    private let state: Guarded<State>
    /// The queue of the request's body blocks for the loop; `nil` if there is no body.
    private let sending: Guarded<SendStateMachine>?

    init(_ request: HTTPRequest, resolution: String?, dns: Duration, loop: CurlLoop) {
        self.request = request
        self.resolution = resolution
        self.loop = loop
        var timings = HTTPTimings()
        timings.dns = dns
        state = Guarded(State(timings: timings))
        sending = request.body.isEmpty ? nil : Guarded(SendStateMachine(request.body.blocksInMemory))
    }

    /// The timings so far.
    var timings: HTTPTimings {
        state.withLock { state in
            var timings = state.timings
            if !state.machine.hasEnded, let start = state.bodyStart { timings.body = .now - start }
            return timings
        }
    }

    /// The number of bytes that wait for the reader.
    var bufferedBytes: Int { state.withLock { $0.machine.bufferedBytes } }

    // MARK: The loop's side

    func connected(_ connect: Duration, _ tls: Duration) {
        state.withLock { ($0.timings.connect, $0.timings.tls) = (connect, tls) }
    }

    /// Returns the next block of the request's body, or `nil` if the loop must pause the sending.
    ///
    /// - Throws: The reason why the rest cannot be read.
    func takeBlock() throws(CalotypeError) -> [UInt8]? {
        switch sending?.withLock({ $0.take() }) {
        case .block(let block, let waiter)?:
            waiter?.resume(returning: true)
            return block
        case .failure(let error)?: throw error
        case .waits?, nil: return nil
        }
    }

    /// Records that libcurl has passed the whole body to the network.
    func sent(in time: Duration) {
        state.withLock { $0.timings.sending = time }
    }

    func receive(_ head: ResponseHead, firstByte: Duration) {
        let waiter = state.withLock { state in
            state.timings.firstByte = firstByte
            state.bodyStart = .now
            return state.machine.receive(head)
        }
        waiter?.resume(returning: head)
    }

    func hasRoom(for count: Int) -> Bool {
        state.withLock { $0.machine.hasRoom(for: count) }
    }

    /// Buffers bytes.
    ///
    /// Returns whether a reader waits, which ``deliver()`` then wakes.
    func receive(_ chunk: [UInt8]) -> Bool {
        state.withLock { $0.machine.receive(chunk) }
    }

    /// Wakes the waiting reader if there is data to read.
    func deliver() {
        guard let (waiter, reading) = state.withLock({ $0.machine.deliver() }) else { return }
        answer(waiter, reading)
    }

    /// Ends the loop's part.
    ///
    /// The loop calls nothing on this transfer afterwards.
    func finish(_ result: Result<Void, any Error>) {
        deliver()
        let farewell = state.withLock { state in
            if let start = state.bodyStart { state.timings.body = .now - start }
            return state.machine.finish(result)
        }
        switch result {
        case .success: farewell.chunk?.resume(returning: nil)
        case .failure(let error): Self.resume(farewell, throwing: error)
        }
        sending?.withLock { $0.end() }?.resume(returning: false)
        for waiter in farewell.end { waiter.resume() }
    }

    // MARK: The sender's side

    /// Reads the files of the request's body block by block, until the loop has all blocks or wants no more.
    func feed(_ reader: BodyReader, on disk: ThreadExecutor) async {
        var position = BodyReader.Position()
        while await roomForBlock() {
            do {
                let start = position
                let (block, next) = try await disk.run {
                    var place = start
                    return (try reader.read(at: &place), place)
                }
                guard let block else { return }
                position = next
                supply(block)
            } catch {
                return failSending(error)
            }
        }
    }

    private func roomForBlock() async -> Bool {
        await withCheckedContinuation { waiter in
            let answer = sending.map { $0.withLock { $0.awaitRoom(waiter) } } ?? false
            if let answer { waiter.resume(returning: answer) }
        }
    }

    private func supply(_ block: [UInt8]) {
        if sending?.withLock({ $0.supply(block) }) == true { loop.submit(.resumeSending(self)) }
    }

    private func failSending(_ error: any Error) {
        let error =
            error as? CalotypeError
            ?? CalotypeError(.fileNotReadable, "the body cannot be read", stage: .request, cause: error)
        if sending?.withLock({ $0.fail(error) }) == true { loop.submit(.resumeSending(self)) }
    }

    // MARK: The reader's side

    /// Passes the transfer to the loop.
    func start() {
        loop.submit(.start(self))
    }

    /// Waits for the head.
    ///
    /// Cancellation ends the transfer.
    func head() async throws -> ResponseHead {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let answer = state.withLock { $0.machine.awaitHead(waiter) }
                if let answer { waiter.resume(with: answer) }
            }
        } onCancel: {
            abandon()
        }
    }

    /// Waits for the next bytes, and returns `nil` at the end.
    ///
    /// Cancellation ends the transfer.
    func next() async throws -> [UInt8]? {
        if Task.isCancelled { abandon() }
        switch state.withLock({ $0.machine.read() }) {
        case .chunk(let chunk, let resumesLoop):
            if resumesLoop { loop.submit(.resume(self)) }
            return chunk
        case .end: return nil
        case .failure(let error): throw error
        case .waits: return try await waitForChunk()
        }
    }

    private func waitForChunk() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                answer(waiter, state.withLock { $0.machine.read(waiter) })
            }
        } onCancel: {
            abandon()
        }
    }

    private func answer(_ waiter: TransferStateMachine.ChunkWaiter, _ reading: TransferStateMachine.Reading) {
        switch reading {
        case .chunk(let chunk, let resumesLoop):
            if resumesLoop { loop.submit(.resume(self)) }
            waiter.resume(returning: chunk)
        case .end: waiter.resume(returning: nil)
        case .failure(let error): waiter.resume(throwing: error)
        case .waits: break
        }
    }

    /// Ends the transfer if it still runs, and returns when the loop has released it.
    func end() async {
        abandon()
        await withCheckedContinuation { waiter in
            if !state.withLock({ $0.machine.awaitEnd(waiter) }) { waiter.resume() }
        }
    }

    private func abandon() {
        let (waiters, tellsLoop) = state.withLock { $0.machine.abandon() }
        if tellsLoop { loop.submit(.cancel(self)) }
        Self.resume(waiters, throwing: CancellationError())
    }

    private static func resume(_ waiters: TransferStateMachine.Farewell, throwing error: any Error) {
        waiters.head?.resume(throwing: error)
        waiters.chunk?.resume(throwing: error)
    }
}
