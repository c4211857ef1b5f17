import CalotypeCore
import TaskFlow

/// One exchange, shared by the loop that performs it and the task that reads it.
final class Transfer: BodySource {
    private struct State {
        var machine = TransferStateMachine()
        var timings: HTTPTimings
        /// When the head was complete.
        var bodyStart: ContinuousClock.Instant?
    }

    let request: HTTPRequest
    /// `host:port:address,…` for libcurl, so that it never resolves a name; `nil` where the host is an address.
    let resolution: String?
    /// Does what the loop is asked for: go on after a pause, or let go.
    private let loop: CurlLoop
    private let state: Guarded<State>

    init(_ request: HTTPRequest, resolution: String?, dns: Duration, loop: CurlLoop) {
        self.request = request
        self.resolution = resolution
        self.loop = loop
        var timings = HTTPTimings()
        timings.dns = dns
        state = Guarded(State(timings: timings))
    }

    /// The timings up to now.
    var timings: HTTPTimings {
        state.withLock { state in
            var timings = state.timings
            if !state.machine.hasEnded, let start = state.bodyStart { timings.body = .now - start }
            return timings
        }
    }

    /// The bytes that wait for the reader.
    var bufferedBytes: Int { state.withLock { $0.machine.bufferedBytes } }

    // MARK: The loop's side

    func connected(_ connect: Duration, _ tls: Duration) {
        state.withLock { ($0.timings.connect, $0.timings.tls) = (connect, tls) }
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

    /// Takes bytes; whether a reader waits who is to be told by ``deliver()``.
    func receive(_ chunk: [UInt8]) -> Bool {
        state.withLock { $0.machine.receive(chunk) }
    }

    /// Wakes the reader who waits, if there is something to read.
    func deliver() {
        guard let (waiter, reading) = state.withLock({ $0.machine.deliver() }) else { return }
        answer(waiter, reading)
    }

    /// The loop's last act on this transfer.
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
        for waiter in farewell.end { waiter.resume() }
    }

    // MARK: The reader's side

    /// Hands the transfer to the loop.
    func start() {
        loop.submit(.start(self))
    }

    /// Waits for the head; cancellation ends the transfer.
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

    /// Waits for the next bytes, `nil` at the end; cancellation ends the transfer.
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

    /// Ends the transfer, if it still goes on, and returns when the loop has let go of it.
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
