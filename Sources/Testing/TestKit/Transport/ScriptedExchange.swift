import CalotypeCore
import CalotypeHTTP
import TaskFlow
import TaskFlowTesting

/// One exchange with a scripted origin; everything happens on the reading task.
final class ScriptedExchange: BodySource {
    private enum Phase {
        case open
        case complete
        case failed(any Error)
    }

    private struct State {
        var phase = Phase.open
        /// The next step of the body.
        var position = 0
        /// The number of bytes delivered so far.
        var given = 0
        var timings = HTTPTimings()
        /// How long the reader has waited for the next piece.
        var waited = Duration.zero
    }

    private let request: HTTPRequest
    private let response: ScriptedResponse
    private let upload: ScriptedUpload
    private let ledger: ExchangeLedger
    private let number: Int
    /// The timer, if the response takes time.
    private let timer: ScriptedTimer?
    private let state = Guarded(State())

    init(
        _ request: HTTPRequest,
        _ response: ScriptedResponse,
        _ upload: ScriptedUpload,
        number: Int,
        clock: any Clock<Duration>,
        ledger: ExchangeLedger
    ) {
        self.request = request
        self.response = response
        self.upload = upload
        self.number = number
        self.ledger = ledger
        timer = response.takesTime ? ScriptedTimer(clock, request.timeouts) : nil
    }

    var timings: HTTPTimings { state.withLock { $0.timings } }

    /// The number of buffered bytes: none, because nothing arrives before it is read.
    var bufferedBytes: Int { 0 }

    /// Waits for the head.
    func response() async throws -> HTTPResponse {
        try await failing {
            if !response.receives { try await upload.take() }
            var waited = Duration.zero
            for step in response.beforeHead {
                waited += try await perform(step, after: waited, before: .headers)
            }
            let time = waited
            state.withLock { $0.timings.firstByte = time }
            guard request.method != .head else { return }
            try request.limits.check(announced: response.contentLength?.bytes, status: response.status)
        }
        return HTTPResponse(
            url: request.url,
            status: response.status,
            headers: response.headers,
            contentLength: response.contentLength?.bytes,
            body: self
        )
    }

    func next() async throws -> [UInt8]? {
        try await failing {
            try Task.checkCancellation()
            while let step = try takeStep() {
                if case .bytes(let bytes) = step { return try give(bytes) }
                let waited = state.withLock { $0.waited }
                let time = try await perform(step, after: waited, before: .idle)
                state.withLock { state in
                    state.waited += time
                    state.timings.body += time
                }
            }
            return nil
        }
    }

    /// Ends the exchange: nothing more can be read from it.
    func end() {
        let isCancelled = Task.isCancelled
        let ending = state.withLock { state -> ExchangeLedger.Ending in
            defer { state.phase = .failed(CancellationError()) }
            switch state.phase {
            case .failed(is CancellationError): return .cancelled
            case .failed: return .failed
            case .open where isCancelled: return .cancelled
            case .open where state.position < response.body.count && request.method != .head: return .cutOff
            case .open, .complete: return .completed
            }
        }
        ledger.keep(upload.received, of: number)
        ledger.end(number, ending)
    }

    /// Runs `body`; an error in it ends the exchange.
    private func failing<Output>(_ body: () async throws -> Output) async throws -> Output {
        do {
            return try await body()
        } catch {
            state.withLock { if case .open = $0.phase { $0.phase = .failed(error) } }
            throw error
        }
    }

    /// Takes the next step; `nil` at the end of a complete body.
    private func takeStep() throws -> ScriptedStep? {
        let length = response.contentLength?.bytes
        return try state.withLock { state in
            switch state.phase {
            case .complete: return nil
            case .failed(let error): throw error
            case .open: break
            }
            // The response to HEAD has the same fields, but no body.
            if request.method == .head {
                state.phase = .complete
                return nil
            }
            if state.position < response.body.count, state.given < length ?? .max {
                defer { state.position += 1 }
                return response.body[state.position]
            }
            if let length, state.given < length { throw Self.truncated(state.given, of: length) }
            state.phase = .complete
            return nil
        }
    }

    /// Delivers bytes, no more than announced.
    private func give(_ bytes: [UInt8]) throws(CalotypeError) -> [UInt8] {
        let (before, after) = state.withLock { state in
            let before = state.given
            state.given = min(before + bytes.count, response.contentLength?.bytes ?? .max)
            state.waited = .zero
            return (before, state.given)
        }
        try request.limits.check(received: after)
        ledger.count(bytes: after - before)
        return after - before < bytes.count ? Array(bytes.prefix(after - before)) : bytes
    }

    /// Does one step that is not bytes, and returns how long it took.
    private func perform(
        _ step: ScriptedStep,
        after waited: Duration,
        before expiry: HTTPTimeouts.Expiry
    ) async throws -> Duration {
        if case .failure(let error) = step { throw error }
        if case .receive(let count) = step {
            try await upload.take(count.bytes)
            return .zero
        }
        guard let timer else { preconditionFailure("a step that takes time without a timer") }
        return try await timer.wait(step, after: waited, before: expiry)
    }

    private static func truncated(_ given: Int, of length: Int) -> CalotypeError {
        CalotypeError(.truncatedBody, "the body was cut after \(given) of \(length) bytes", stage: .body)
    }
}

/// Lets an exchange wait on the transport's clock, within the request's timeouts.
struct ScriptedTimer: Sendable {
    private let clock: any Clock<Duration>
    private let timeouts: HTTPTimeouts
    private let sinceBeginning: Stopwatch

    init(_ clock: any Clock<Duration>, _ timeouts: HTTPTimeouts) {
        self.clock = clock
        self.timeouts = timeouts
        sinceBeginning = Stopwatch(clock)
    }

    /// Waits as `step` says, and returns for how long.
    ///
    /// - Throws: The first timeout that expires; `CancellationError` if the task is cancelled.
    func wait(
        _ step: ScriptedStep,
        after waited: Duration,
        before expiry: HTTPTimeouts.Expiry
    ) async throws -> Duration {
        let start = sinceBeginning.now
        let (limit, expiry) = limit(after: waited, before: expiry, at: start)
        let isInTime: Bool
        switch step {
        case .pause(let time) where time < limit:
            try await clock.sleep(for: time)
            isInTime = true
        case .until(let event): isInTime = try await happens(event, within: limit)
        default:
            try await clock.sleep(for: limit)
            isInTime = false
        }
        try Task.checkCancellation()
        guard isInTime else { throw timeouts.error(expiry) }
        return sinceBeginning.now - start
    }

    /// The maximum time of the wait, and the name of its timeout.
    private func limit(
        after waited: Duration,
        before expiry: HTTPTimeouts.Expiry,
        at now: Duration
    ) -> (Duration, HTTPTimeouts.Expiry) {
        let phase = (expiry == .headers ? timeouts.headers : timeouts.idle) - waited
        guard let total = timeouts.total.map({ $0 - now }), total < phase else { return (phase, expiry) }
        return (total, .total)
    }

    private func happens(_ event: Event, within limit: Duration) async throws -> Bool {
        if event.hasHappened { return true }
        return try await withThrowingTaskGroup { group in
            group.addTask {
                try await event.wait()
                return true
            }
            group.addTask {
                try await clock.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }
}
