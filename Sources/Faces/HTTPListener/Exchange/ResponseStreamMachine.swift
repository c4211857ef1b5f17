import TaskFlow

/// An answer's bytes on their way from the task that writes them to the library.
struct ResponseStreamMachine {
    enum State: Hashable {
        case open
        /// Everything was written.
        case ended
        /// The writer has failed; the client must not take the part for the whole.
        case failed
        /// The library takes no more.
        case closed
    }

    /// What the library gets.
    enum Portion: Hashable {
        case bytes(ArraySlice<UInt8>)
        /// Nothing was written yet.
        case nothing
        case end
        case failed
    }

    /// The bytes that wait for the library before the writer has to wait.
    static let highWater = 128 << 10

    private(set) var state = State.open
    /// The length that the head announces; `nil` if it announces none.
    var length: Int?
    /// The bytes that the library has taken.
    private(set) var sentBytes = 0
    private(set) var waitingBytes = 0
    private var pieces = FIFO<ArraySlice<UInt8>>()
    /// The rest of the piece that the library is taking.
    private var current: ArraySlice<UInt8> = []

    // MARK: The library's side

    /// Takes at most `limit` bytes.
    mutating func take(_ limit: Int) -> Portion {
        if state == .failed || state == .closed { return .failed }
        if current.isEmpty { current = pieces.popFirst() ?? [] }
        guard !current.isEmpty else {
            guard state == .ended else { return .nothing }
            // At an early end the library would take the answer for complete.
            return sentBytes < length ?? 0 ? .failed : .end
        }
        let bytes = current.prefix(limit)
        current = current.dropFirst(limit)
        waitingBytes -= bytes.count
        sentBytes += bytes.count
        return .bytes(bytes)
    }

    /// The library has taken an answer that is no stream up to byte `count`.
    mutating func sent(upTo count: Int) {
        sentBytes = max(sentBytes, count)
    }

    /// The library takes no more.
    mutating func close() {
        if state != .failed { state = .closed }
        pieces = FIFO()
        current = []
    }

    // MARK: The writer's side

    /// Takes a piece; returns whether there is room for another.
    mutating func write(_ piece: [UInt8]) -> Result<Bool, CancellationError> {
        if state == .failed || state == .closed { return .failure(CancellationError()) }
        guard !piece.isEmpty else { return .success(true) }
        pieces.append(piece[...])
        waitingBytes += piece.count
        return .success(waitingBytes < Self.highWater)
    }

    /// Whether a writer may go on; `nil` if it has to wait until the library has taken more.
    ///
    /// A writer that has waited goes on when only a quarter is left.
    func room(hasWaited: Bool) -> Result<Void, CancellationError>? {
        if state == .failed || state == .closed { return .failure(CancellationError()) }
        let hasRoom = hasWaited ? waitingBytes <= Self.highWater / 4 : waitingBytes < Self.highWater
        return hasRoom ? .success(()) : nil
    }

    /// The writer has returned, or thrown.
    mutating func end(isComplete: Bool) {
        if !isComplete {
            state = .failed
        } else if state == .open {
            state = .ended
        }
    }
}
