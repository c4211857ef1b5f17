import CalotypeFiles
import CalotypeHTTPMessages
import TaskFlow

/// One request and its response, from the request line on.
///
/// The library holds it from its first to its last call.
package final class Exchange: Sendable {
    let client: ClientConnection
    private let server: ListenerCore
    private let target: RawTarget
    private let connection: any Suspending
    private let state = Guarded(ExchangeState())

    package init(
        _ target: RawTarget,
        _ client: ClientConnection,
        _ connection: any Suspending,
        _ server: ListenerCore
    ) {
        self.target = target
        self.client = client
        self.connection = connection
        self.server = server
    }

    /// Whether the client waits for the listener.
    var isOurTurn: Bool { state.withLock { $0.isOurTurn } }

    // MARK: The library's calls

    /// Handles a call of the library.
    ///
    /// - Parameters:
    ///   - call: The data that the library passes.
    ///   - isTaken: Set if the piece of the body was accepted.
    /// - Returns: `false` to close the connection.
    package func handle(_ call: some LibraryCalling, _ isTaken: inout Bool) -> Bool {
        guard unsafe call.piece.isEmpty else { return takePiece(call, &isTaken) }
        switch perform({ $0.callForAnswer() }) {
        case .readHead: return readHead(call)
        case .open(let request): return open(request, call)
        case .answer(let answer): return send(answer, on: call)
        case .proceed: return true
        case .wait:
            leaveIfHungUp()
            return true
        case .close, .refuseBody: return false
        }
    }

    /// Records that the library has finished with the request.
    package func libraryEnded(isComplete: Bool) {
        client.requestEnded()
        perform { $0.libraryEnded(isComplete: isComplete) }
    }

    /// Passes at most `limit` bytes of the stream to the library.
    package func take(_ limit: Int) -> StreamDelivery {
        let delivery = perform { $0.take(limit) }
        if case .wait = delivery { leaveIfHungUp() }
        return delivery
    }

    func sent(upTo count: Int) {
        state.withLock { $0.sent(upTo: count) }
    }

    private func readHead(_ call: some LibraryCalling) -> Bool {
        let head: IncomingHead
        do throws(HTTPListenerError) {
            head = try call.head(target, server.rules)
        } catch {
            return refuse(error, call)
        }
        let request = IncomingRequest(
            method: head.request.method,
            target: target.text,
            headers: head.request.headers,
            client: client.address.text,
            arrival: .now,
            takesChunks: head.request.version != .http1_0,
            body: head.endsConnection ? IncomingBody { [self] in try await readBody() } : .empty
        )
        let bodyLimit: ByteCount?
        do throws(HTTPListenerError) {
            bodyLimit = try self.bodyLimit(for: request, head)
        } catch {
            return refuse(error, call)
        }
        guard client.headCame(head.bytes) else { return false }
        state.withLock { $0.headCame(request, bodyLimit: bodyLimit) }
        return head.endsConnection ? open(request, call) : true
    }

    /// Returns the maximum size of the body; `nil` if there is no body.
    private func bodyLimit(
        for request: IncomingRequest,
        _ head: IncomingHead
    ) throws(HTTPListenerError) -> ByteCount? {
        guard head.endsConnection else { return nil }
        let limit = server.responder.bodyLimit(for: request) ?? server.rules.configuration.bodyBytes
        try server.rules.check(head.framing, bodyLimit: limit)
        return limit
    }

    private func refuse(_ refusal: HTTPListenerError, _ call: some LibraryCalling) -> Bool {
        state.withLock { $0.refuseHead() }
        server.responder.requestRefused(
            RefusedRequest(
                target: target.text,
                client: client.address.text,
                status: refusal.status,
                reason: refusal.message
            )
        )
        return send(Answer(refusal.status, refusal.message, from: server.name), on: call)
    }

    /// Responds immediately, or starts the task that will.
    private func open(_ request: IncomingRequest, _ call: some LibraryCalling) -> Bool {
        client.requestBegan(self)
        switch server.responder.firstAnswer(to: request) {
        case .now(let response) where !response.isStream:
            let answer = makeAnswer(response, request)
            state.withLock { $0.answerImmediately(answer) }
            if request.method == "GET" { server.preparing?.prepare(response, to: request, from: server.name) }
            return send(answer, on: call)
        case .now(let response): return begin { self.startTask(request) { response } }
        case .task(let plan): return begin { self.startTask(request, plan) }
        case .later(let plan):
            return begin {
                let executor = InlineExecutor.shared
                executor.lendingThread { self.startTask(request, on: executor, plan) }
            }
        }
    }

    /// Suspends the connection and starts the work on the response.
    private func begin(_ work: () -> Void) -> Bool {
        // Checked under the lock: an earlier stop is seen here, and a later one finds the exchange.
        let begins = perform { server.isStopping ? (false, ExchangeState.Actions()) : $0.begin() }
        guard begins else { return false }
        work()
        return true
    }

    private func startTask(
        _ request: IncomingRequest,
        on executor: (any TaskExecutor)? = nil,
        _ plan: @escaping FirstAnswer.Plan
    ) {
        do {
            let task = try server.tasks.start(name: "http request", executor: executor) {
                await self.work(request, plan)
            }
            perform { $0.attach(task) }
            leaveIfHungUp()
        } catch {
            perform { $0.workEnded() }
        }
    }

    private func takePiece(_ call: some LibraryCalling, _ isTaken: inout Bool) -> Bool {
        switch perform({ unsafe $0.bodyCame(call.piece) }) {
        case .proceed:
            isTaken = true
            return true
        case .wait:
            leaveIfHungUp()
            return true
        case .refuseBody:
            client.expectsBytes()
            client.say(.tooLarge, from: server.name)
            return false
        case .readHead, .open, .answer, .close: return false
        }
    }

    private func send(_ answer: Answer, on call: some LibraryCalling) -> Bool {
        if state.withLock({ $0.leavesBytesUnread }) { client.expectsBytes() }
        return call.send(answer, of: self)
    }

    /// Handles a hang-up that the watch saw before the connection was suspended.
    private func leaveIfHungUp() {
        if client.hasHungUp { clientLeft() }
    }

    // MARK: The watch's calls

    /// Records that the client closed its end.
    ///
    /// Returns whether the library must be woken to notice it.
    @discardableResult
    func clientLeft() -> Bool {
        perform { $0.clientLeft() }
    }

    /// Ends the exchange because the listener stops.
    func abandon() {
        perform { $0.abandon() }
    }

    // MARK: The task

    private func work(_ request: IncomingRequest, _ plan: FirstAnswer.Plan) async {
        let response = await plan()
        let answer = makeAnswer(response, request)
        let isWanted = perform { $0.give(answer) }
        if isWanted, let writing = Answer.writing(response, for: answer) { await write(writing) }
        perform { $0.workEnded() }
    }

    private func write(_ writing: @Sendable (BodyWriter) async throws -> Void) async {
        let writer = BodyWriter { [self] piece in
            if try !perform({ $0.write(piece) }).get() { try await waitForRoom() }
        } ifIdle: { [self] piece in
            perform { $0.writeIfIdle(piece) }
        }
        do {
            try await writing(writer)
            perform { $0.streamEnded(isComplete: true) }
        } catch {
            // The client sees that the response is cut off; the responder that created the stream reports the
            // reason.
            perform { $0.streamEnded(isComplete: false) }
        }
    }

    private func waitForRoom() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                perform { $0.waitForRoom({ continuation.resume(with: $0) }, isCancelled: Task.isCancelled) }
            }
        } onCancel: {
            perform { $0.stopWaiting() }
        }
    }

    private func readBody() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                perform { $0.readBody({ continuation.resume(with: $0) }, isCancelled: Task.isCancelled) }
            }
        } onCancel: {
            perform { $0.stopReading() }
        }
    }

    private func makeAnswer(_ response: OutgoingResponse, _ request: IncomingRequest) -> Answer {
        let closes = server.isDraining || state.withLock { $0.endsConnection }
        return Answer(response, to: request, from: server.name, closes: closes)
    }

    // MARK: The lock

    /// Decides under the lock and acts after releasing it.
    private func perform<Output: Sendable>(
        _ decide: (inout ExchangeState) -> (Output, ExchangeState.Actions)
    ) -> Output {
        let (output, actions) = state.withLock { decide(&$0) }
        act(actions)
        return output
    }

    private func perform(_ decide: (inout ExchangeState) -> ExchangeState.Actions) {
        act(state.withLock { decide(&$0) })
    }

    private func act(_ actions: ExchangeState.Actions) {
        switch actions.connection {
        case .suspend: connection.suspend()
        case .resume: connection.resume()
        case nil: break
        }
        actions.cancelled?.cancel()
        if let (reader, result) = actions.bodyReader { reader(result) }
        if let (producer, result) = actions.producer { producer(result) }
        if let finished = actions.finished { server.responder.exchangeEnded(finished) }
    }
}
