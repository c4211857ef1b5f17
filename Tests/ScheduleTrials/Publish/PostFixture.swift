import CalotypeCore
import CalotypePublish
import TaskFlow
import TaskFlowTesting

/// The server of one program, the network before it, and what the publisher has promised so far.
final class PostFixture: Sendable {
    private struct State {
        var contents: ServerContents
        var witness = PostWitness()
        var calls: [CallPlace: Int] = [:]
        var delays = 0
        /// Requests that are on their way to the server, or were cut on it.
        var underWay: [Int: ServerAct] = [:]
        var lastRequest = 0
        var findings: [String] = []
        /// Whether all requests are answered as they should be.
        var isCalm = false
    }

    let manner: ServerManner
    private let faults: [CallPlace: [Int: CallFault]]
    private let state: Guarded<State>

    init(_ manner: ServerManner, _ faults: [CallPlace: [Int: CallFault]]) {
        self.manner = manner
        self.faults = faults
        state = Guarded(State(contents: ServerContents(manner)))
    }

    /// The fixture as it is now, without faults.
    ///
    /// - Parameters:
    ///   - other: The fixture that is copied.
    ///   - keepsRequests: Whether requests under way arrive there; else they never do.
    init(copying other: PostFixture, keepsRequests: Bool) {
        manner = other.manner
        faults = [:]
        var copy = other.state.withLock(\.self)
        if keepsRequests {
            for (_, act) in copy.underWay.sorted(by: { $0.key < $1.key }) { _ = copy.contents.perform(act) }
        }
        copy.underWay = [:]
        copy.contents.forget(copy.witness.processDied())
        state = Guarded(copy)
    }

    /// Lets nothing go wrong from here on.
    func calm() {
        state.withLock { $0.isCalm = true }
    }

    var contents: ServerContents { state.withLock(\.contents) }
    var findings: [String] { state.withLock(\.findings) }
    /// Whether a request with the post of a publication may still arrive.
    func isPostUnderWay(_ publication: String) -> Bool {
        state.withLock { state in
            state.underWay.values.contains { if case .post(publication, _) = $0 { true } else { false } }
        }
    }

    /// Takes down what is wrong.
    func find(_ text: String) {
        scheduleNote("wrong: \(text)")
        state.withLock { $0.findings.append(text) }
    }

    /// Asks or tells the witness, and takes down what it finds.
    func witness<Output: Sendable>(_ body: (inout PostWitness) -> Output) -> Output {
        let (output, findings) = state.withLock { state in
            let output = body(&state.witness)
            defer { state.witness.findings = [] }
            return (output, state.witness.findings)
        }
        for finding in findings { find(finding) }
        return output
    }

    // MARK: Requests

    /// Sends a request, and waits for its answer.
    ///
    /// - Returns: What the server answers; nil if what the request names is not there.
    /// - Throws: What goes wrong with it, as a destination has to tell it.
    func call(_ act: ServerAct, for place: CallPlace) async throws -> Int? {
        let fault = nextFault(place)
        scheduleNote("request \(act.name) for \(place)\(fault.map { ", which is \($0)" } ?? "")")
        let number = begin(act)
        do {
            try await travel()
        } catch {
            sometimes("a request is cancelled on its way to the server")
            arriveLate(number)
            throw error
        }
        switch fault {
        case .cut:
            arriveLate(number)
            throw Self.reset
        case .refused, .failed, .limited, .busy, .gone:
            turnAway(number, fault)
            throw fault.flatMap(refusal) ?? Self.reset
        case nil, .unanswered: break
        }
        let answer = arrive(number)
        do { try await travel() } catch {
            sometimes("a request is cancelled after the server has carried it out")
            throw error
        }
        if case .unanswered = fault { throw Self.reset }
        return answer
    }

    /// An answer has told the client of a medium.
    func tell(of number: Int) {
        state.withLock { $0.contents.tell(of: number) }
    }

    private func turnAway(_ number: Int, _ fault: CallFault?) {
        state.withLock { state in
            let act = state.underWay.removeValue(forKey: number)
            if case .gone = fault, let upload = act?.upload { _ = state.contents.perform(.delete(upload)) }
        }
    }

    private func nextFault(_ place: CallPlace) -> CallFault? {
        let call = state.withLock { state -> Int? in
            state.calls[place, default: 0] += 1
            return state.isCalm ? nil : state.calls[place]
        }
        return call.flatMap { faults[place]?[$0] }
    }

    private func begin(_ act: ServerAct) -> Int {
        state.withLock { state in
            state.lastRequest += 1
            state.underWay[state.lastRequest] = act
            return state.lastRequest
        }
    }

    private func arrive(_ number: Int) -> Int? {
        state.withLock { state in
            guard let act = state.underWay.removeValue(forKey: number) else { return nil }
            return state.contents.perform(act)
        }
    }

    /// Lets a request that was cut arrive, or not, as the server's manner is.
    private func arriveLate(_ number: Int) {
        let act = state.withLock { $0.underWay[number] }
        guard let act, var late = manner.late else {
            state.withLock { $0.underWay[number] = nil }
            return
        }
        // Such a server cannot tell that a post is still on its way.
        if act.isPost, manner.settling != .key { late = 0 }
        // Owner: the schedule, which runs until it has ended.
        Task(name: "late \(act.name)") { [late] in
            if late > 0 { try await Task.sleep(nanoseconds: 10_000_000 * UInt64(late)) }
            scheduleNote("a request that was cut arrives")
            _ = self.arrive(number)
        }
    }

    private func travel() async throws {
        let delay = state.withLock { state in
            defer { state.delays += 1 }
            return manner.delays[state.delays % manner.delays.count]
        }
        if delay > 0 {
            try await Task.sleep(nanoseconds: 10_000_000 * UInt64(delay))
        } else {
            await Task.yield()
        }
        try Task.checkCancellation()
    }

    // MARK: Failures

    private func refusal(_ fault: CallFault) -> PublishError? {
        switch fault {
        case .refused: Self.failure(.http(status: 422), .none)
        case .failed: Self.failure(.http(status: 503), .retry)
        case .limited(let time): Self.failure(.http(status: 429), .wait(.milliseconds(10 * time)))
        case .busy: Self.failure(.http(status: 423), .busy)
        case .gone: Self.failure(.http(status: 410), .startOver)
        case .cut, .unanswered: nil
        }
    }

    static func failure(_ code: ErrorCode, _ remedy: PublishError.Remedy) -> PublishError {
        PublishError(CalotypeError(code, "the server says \(code.rawValue)", stage: .response), remedy)
    }

    private static let reset = CalotypeError(.connectionReset, "the connection was reset", stage: .response)
}
