public import CalotypeCore
public import CalotypeHTTP
import TaskFlow

/// A transport without a network: a script responds to each request, on the requesting task.
///
/// The pipeline above it is the real one. The transport starts no task and no thread, and takes the time from
/// its clock. It keeps the real transport's promises: the request's limits and timeouts apply, a body shorter
/// than announced is `truncated_body`, a cancelled reader gets `CancellationError`, and the unread rest of a
/// body is cut off.
///
/// ```swift
/// let transport = ScriptedTransport()
/// try transport.answer("http://photos.test/1.png", with: .status(503), .bytes(TinyPicture.png()))
/// ```
public final class ScriptedTransport: HTTPTransporting {
    private let clock: any Clock<Duration>
    private let book: ResponseBook
    private let ledger: ExchangeLedger
    private let keptBodyBytes: ByteCount

    /// Creates a transport without scripts.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures pauses and timeouts; pass a `ManualClock` to move it yourself.
    ///   - otherwise: The response to requests without a script, 404 by default.
    ///   - keptRequests: How many of the first requests ``requests`` contains, 10,000 by default; all are
    ///     counted.
    ///   - keptBodyBytes: How much of each of their bodies ``receivedBodies`` contains, 64 KiB by default;
    ///     all are read.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        otherwise: ScriptedResponse = .status(404),
        keptRequests: Int = 10_000,
        keptBodyBytes: ByteCount = .kibibytes(64)
    ) {
        self.clock = clock
        self.keptBodyBytes = keptBodyBytes
        book = ResponseBook(otherwise: otherwise)
        ledger = ExchangeLedger(keptRequests: keptRequests)
    }

    // MARK: The script

    /// Responds to requests for `url` with `responses`, one after the other; the last one is repeated.
    ///
    /// - Throws: `invalid_url` and the like for a text that no request can have.
    public func answer(_ url: String, with responses: ScriptedResponse...) throws(CalotypeError) {
        book.add(responses, for: try WebURL(url))
    }

    /// Lets `respond` handle requests for other URLs; if it returns `nil`, the next such script is called.
    public func answer(_ respond: @escaping @Sendable (HTTPRequest) -> ScriptedResponse?) {
        book.add(respond)
    }

    /// Lets `respond` handle requests for other URLs, once `limit` bytes of the request's body have arrived.
    ///
    /// If it returns `nil`, the next such script is called.
    public func answer(
        reading limit: ByteCount,
        _ respond: @escaping @Sendable (HTTPRequest, _ body: [UInt8]) -> ScriptedResponse?
    ) {
        book.add(reading: limit, respond)
    }

    // MARK: What happened

    /// The current counts.
    public var statistics: Statistics { ledger.statistics }

    /// The requests in the order in which they were sent, including targets of redirects; see `keptRequests`.
    public var requests: [HTTPRequest] { ledger.requests }

    /// The received body of each of ``requests``, cut after `keptBodyBytes`.
    ///
    /// It is complete when its exchange has ended.
    public var receivedBodies: [[UInt8]] { ledger.bodies }

    /// Waits until `isMet` accepts the counts, and returns them.
    ///
    /// - Parameter isMet: Examines the counts at each change, under a lock; it must be quick.
    /// - Returns: The first counts that it accepts.
    /// - Throws: `CancellationError` if the task is cancelled first.
    @discardableResult
    public func statistics(when isMet: @escaping @Sendable (Statistics) -> Bool) async throws -> Statistics {
        try await ledger.statistics(when: isMet)
    }

    /// Waits until at least `count` requests have been sent, and returns ``requests``.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    @discardableResult
    public func waitForRequests(_ count: Int) async throws -> [HTTPRequest] {
        try await ledger.statistics { $0.requests >= count }
        return requests
    }

    // MARK: The exchange

    /// Responds to `request` as the script says and passes the response to `body`.
    public func withResponse<Output: Sendable>(
        to request: HTTPRequest,
        _ body: (HTTPResponse) async throws -> Output
    ) async throws -> Output {
        do {
            try Task.checkCancellation()
            try request.checkAddress()
            let exchange = try await begin(request)
            defer { exchange.end() }
            return try await body(try await exchange.response())
        } catch let error as CalotypeError {
            throw error.at(request.url.text)
        }
    }
}

extension ScriptedTransport {
    private func begin(_ request: HTTPRequest) async throws -> ScriptedExchange {
        let upload = try ScriptedUpload(request, keeping: keptBodyBytes, ledger: ledger)
        let number = ledger.begin(request)
        do {
            let response = try await book.answer(to: request, upload)
            return ScriptedExchange(request, response, upload, number: number, clock: clock, ledger: ledger)
        } catch {
            ledger.keep(upload.received, of: number)
            ledger.end(number, error is CancellationError ? .cancelled : .failed)
            throw error
        }
    }
}

extension ScriptedTransport: CustomStringConvertible {
    /// The counts and the open exchanges on one line.
    public var description: String { ledger.description }
}

extension ScriptedTransport {
    /// The counts of a transport; every request ends in exactly one of the four ways.
    public struct Statistics: Hashable, Sendable {
        /// Requests sent.
        public internal(set) var requests = 0
        /// Exchanges in progress.
        public internal(set) var open = 0
        /// The maximum number of concurrent exchanges.
        public internal(set) var mostOpen = 0
        /// Exchanges whose body was read to its end, or had none.
        public internal(set) var completed = 0
        /// Exchanges whose reader wanted no more of the body.
        public internal(set) var cutOff = 0
        /// Exchanges that ended with an error of the script, a timeout or a limit.
        public internal(set) var failed = 0
        /// Exchanges that ended because their task was cancelled.
        public internal(set) var cancelled = 0
        /// Bytes of requests' bodies that were sent.
        public internal(set) var sentBytes = ByteCount(0)
        /// Bytes of bodies that were delivered to readers.
        public internal(set) var bytes = ByteCount(0)
    }
}

/// Finds the response for each request.
final class ResponseBook: Sendable {
    typealias Responder = @Sendable (HTTPRequest) -> ScriptedResponse?
    typealias ReadingResponder = @Sendable (HTTPRequest, [UInt8]) -> ScriptedResponse?

    private enum Script {
        case head(Responder)
        case body(ByteCount, ReadingResponder)
    }

    /// The responses for one URL.
    private struct Sequence {
        let responses: [ScriptedResponse]
        var next = 0

        mutating func take() -> ScriptedResponse? {
            defer { next = min(next + 1, responses.count - 1) }
            return responses.isEmpty ? nil : responses[next]
        }
    }

    private struct State {
        var sequences: [WebURL: Sequence] = [:]
        var scripts: [Script] = []
    }

    private let otherwise: ScriptedResponse
    private let state = Guarded(State())

    init(otherwise: ScriptedResponse) {
        self.otherwise = otherwise
    }

    func add(_ responses: [ScriptedResponse], for url: WebURL) {
        state.withLock { $0.sequences[url] = Sequence(responses: responses) }
    }

    func add(_ responder: @escaping Responder) {
        state.withLock { $0.scripts.append(.head(responder)) }
    }

    func add(reading limit: ByteCount, _ responder: @escaping ReadingResponder) {
        state.withLock { $0.scripts.append(.body(limit, responder)) }
    }

    /// Returns the response for the URL, otherwise that of the first script that returns one.
    ///
    /// Reads as much of the body as the scripts need.
    func answer(to request: HTTPRequest, _ upload: ScriptedUpload) async throws -> ScriptedResponse {
        let (response, scripts) = state.withLock { state -> (ScriptedResponse?, [Script]) in
            if let response = state.sequences[request.url]?.take() { return (response, []) }
            return (nil, state.scripts)
        }
        if let response { return response }
        for script in scripts {
            switch script {
            case .head(let respond):
                if let response = respond(request) { return response }
            case .body(let limit, let respond):
                if let response = respond(request, try await upload.beginning(limit)) { return response }
            }
        }
        return otherwise
    }
}
