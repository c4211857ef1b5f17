/// The rules of how far a concurrent iteration may run ahead of its reader, without locks.
///
/// They also decide what the reader receives next. At most `limit` operations run, and at most twice as many
/// are started and not yet read. A finished result that may not be delivered yet (input order) stays in that
/// window.
struct ResultWindow<Input: Sendable, Output: Sendable, InputFailure: Error>: Sendable {
    typealias Element = ConcurrentResult<Input, Output>

    enum Next: Sendable {
        case deliver(Element)
        /// The input threw, and everything that had been started is delivered.
        case inputFailed(InputFailure)
        /// An operation failed, or the reader was cancelled, and the iteration is fail-fast.
        case failed(any Error)
        case end
        case wait
    }

    let limit: Int
    let order: ResultOrder
    let failsFast: Bool
    /// Whether nothing more may start; also true after the first failure of a fail-fast iteration.
    private(set) var isStopped = false
    private var isDemanded = false
    private var hasEndedInput = false
    private var inputFailure: InputFailure?
    private var failure: (any Error)?
    private var hasFailed = false
    private var started = 0
    private var running = 0
    private var delivered = 0
    private var completed = FIFO<Element>()
    private var held: [Int: Element] = [:]

    init(limit: Int, order: ResultOrder, failsFast: Bool) {
        self.failsFast = failsFast
        self.limit = max(limit, 1)
        self.order = order
    }

    private var hasRoom: Bool { running < limit && started - delivered < 2 * limit }

    /// Returns the index for the next input; nil if it has to wait or nothing more may start.
    mutating func reserve() -> Int? {
        guard isDemanded, !isStopped, hasRoom else { return nil }
        running += 1
        started += 1
        return started - 1
    }

    /// Returns the newest reservation, because there was no input for it, and ends the input.
    mutating func endInput(_ error: InputFailure? = nil) {
        running -= 1
        started -= 1
        hasEndedInput = true
        guard !isStopped, let error else { return }
        if failsFast { fail(error) } else { inputFailure = error }
    }

    mutating func finish(_ element: Element) {
        running -= 1
        if failsFast, case .failure(let failure) = element.result {
            if !isStopped { fail(failure) }
            return
        }
        switch order {
        case .completion: completed.append(element)
        case .input: held[element.index] = element
        }
    }

    mutating func stop() {
        guard !isStopped, !hasEndedInput || running > 0 else { return }
        if failsFast { fail(CancellationError()) } else { isStopped = true }
    }

    /// Records that the reader wants a result: from now on there is work to do.
    mutating func demand() {
        isDemanded = true
    }

    mutating func next() -> Next {
        if hasFailed { return .end }
        if let element = nextElement() {
            delivered += 1
            return .deliver(element)
        }
        if let failure {
            hasFailed = true
            return .failed(failure)
        }
        guard running == 0, hasEndedInput || isStopped else { return .wait }
        guard let inputFailure else { return .end }
        hasFailed = true
        return .inputFailed(inputFailure)
    }

    private mutating func nextElement() -> Element? {
        switch order {
        case .completion: completed.popFirst()
        case .input: held.removeValue(forKey: delivered)
        }
    }

    private mutating func fail(_ error: any Error) {
        failure = error
        isStopped = true
    }
}
