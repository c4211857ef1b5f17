import CalotypeHTTP
import CalotypeHTTPListener
import TaskFlow
import TaskFlowTesting

/// What libmicrohttpd does with one connection, as far as the exchange can see: calls, pieces, and the end.
struct TrialLibrary: Sendable {
    let core: ListenerCore
    let records: RequestRecords
    let client: TrialClient

    /// Serves the requests of the connection, and closes it.
    func serve(_ requests: [RequestPlan]) async throws {
        for (index, request) in requests.enumerated() {
            // An idle connection is closed when the listener drains.
            if client.hasLeft || core.isDraining && index > 0 { break }
            guard try await serve(request, index) else { break }
        }
        scheduleNote("the connection of client \(client.number) is closed")
        core.connectionCloses(client.connection)
    }

    /// Serves a request, and returns whether the connection goes on.
    private func serve(_ plan: RequestPlan, _ index: Int) async throws -> Bool {
        let target = client.target(index)
        let gate = TrialSuspension()
        let exchange = unsafe target.withCString {
            unsafe Exchange(RawTarget($0), client.connection, gate, core)
        }
        let call = TrialCall(hasBody: plan.bodyPieces != nil)
        let answer = try await answer(to: plan, target, exchange, gate, call)
        var isComplete = false
        if let answer { isComplete = try await deliver(answer, plan, target, exchange, gate) }
        records.change(target) { $0.isDelivered = isComplete }
        scheduleNote("request \(target) has ended, \(isComplete ? "complete" : "cut")")
        exchange.libraryEnded(isComplete: isComplete)
        guard isComplete, let answer else { return false }
        return !answer.fields.contains { $0.hasName("Connection") }
    }

    /// Calls until there is an answer; nil if the connection is to be closed.
    private func answer(
        to plan: RequestPlan,
        _ target: String,
        _ exchange: Exchange,
        _ gate: TrialSuspension,
        _ call: TrialCall
    ) async throws -> Answer? {
        var isBodySent = plan.bodyPieces == nil
        var calls = 0
        while true {
            try await gate.pass()
            var isTaken = false
            guard exchange.handle(call, &isTaken) else { return nil }
            calls += 1
            if let answer = call.sent.withLock(\.self) { return answer }
            if gate.isSuspended { continue }
            // The body follows the call that lets it come.
            guard !isBodySent, calls > 1 else { continue }
            isBodySent = true
            guard try await sendBody(plan, target, exchange, gate, call) else { return nil }
        }
    }

    /// Brings the pieces of the body; false if the connection is to be closed.
    private func sendBody(
        _ plan: RequestPlan,
        _ target: String,
        _ exchange: Exchange,
        _ gate: TrialSuspension,
        _ call: TrialCall
    ) async throws -> Bool {
        let count = plan.bodyPieces ?? 0
        for index in 0..<count {
            if plan.bodyStops, index == count - 1 { return try await waitForEnd(plan) }
            try await pause(plan.pace)
            if client.hasLeft { return false }
            let piece = Array(repeating: UInt8(index), count: plan.pieceBytes)
            var isTaken = false
            while !isTaken {
                try await gate.pass()
                let goesOn = unsafe piece.withUnsafeBytes {
                    unsafe exchange.handle(call.bringing($0), &isTaken)
                }
                guard goesOn else { return false }
            }
            records.change(target) { $0.bodyBytes += piece.count }
        }
        records.change(target) { $0.isBodyWhole = true }
        return true
    }

    /// The client sends nothing more, until it has gone or its time is up.
    private func waitForEnd(_ plan: RequestPlan) async throws -> Bool {
        do {
            if plan.hidesDeparture {
                try await Task.sleep(for: .seconds(10))
                return false
            }
            try await withTimeout(.seconds(10)) { [client] in try await client.departed.wait() }
        } catch TaskFlowError.Code.deadlineExceeded {}
        return false
    }

    /// Gives the client the answer; true if it has all of it.
    private func deliver(
        _ answer: Answer,
        _ plan: RequestPlan,
        _ target: String,
        _ exchange: Exchange,
        _ gate: TrialSuspension
    ) async throws -> Bool {
        records.change(target) { record in
            record.answers.append(answer.status)
            record.isLast = answer.fields.contains { $0.hasName("Connection") }
        }
        guard case .stream(let length) = answer.content else {
            try await pause(plan.pace)
            if client.hasLeft { return false }
            records.change(target) { $0.taken += answer.content.byteCount }
            return true
        }
        // The library does not ask for the end of an answer whose length it knows.
        while length == nil || records[target].map({ $0.taken < length ?? 0 }) ?? false {
            try await gate.pass()
            if client.hasLeft { return false }
            switch exchange.take(64 << 10) {
            case .bytes(let bytes):
                try await pause(plan.pace)
                records.change(target) { $0.taken += bytes.count }
            case .wait: continue
            case .end: return true
            case .failed: return false
            }
        }
        return true
    }

    private func pause(_ units: Int) async throws {
        if units > 0 {
            try await Task.sleep(nanoseconds: 10_000_000 * UInt64(units))
        } else {
            await Task.yield()
        }
    }
}

// SAFETY: a piece lives as long as the call that brings it.
/// A call without a library behind it.
@safe
struct TrialCall: LibraryCalling {
    let hasBody: Bool
    let sent = Guarded<Answer?>(nil)
    private(set) var piece: UnsafeRawBufferPointer

    init(hasBody: Bool) {
        self.hasBody = hasBody
        unsafe piece = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    func head(_ target: RawTarget, _ rules: HeadRules) -> IncomingHead {
        IncomingHead(
            RequestHead(method: hasBody ? "POST" : "GET", target: "/", headers: HTTPHeaders()),
            framing: hasBody ? .chunked : .length(0),
            bytes: 100
        )
    }

    func send(_ answer: Answer, of exchange: Exchange) -> Bool {
        sent.withLock { $0 = answer }
        return true
    }

    func bringing(_ piece: UnsafeRawBufferPointer) -> TrialCall {
        var call = self
        unsafe call.piece = piece
        return call
    }
}

extension Answer.Content {
    fileprivate var byteCount: Int {
        if case .bytes(_, let range) = self { range.count } else { 0 }
    }
}
