import TaskFlow

/// The state of a response's bytes between the task that writes them and the library.
struct ResponseStreamMachine {
    enum State: Hashable {
        case open
        /// The writer has written everything.
        case ended
        /// The writer has failed; the client must not take the part for the whole.
        case failed
        /// The library accepts no more bytes.
        case closed
    }

    /// The portion that the library receives.
    enum Portion: Hashable {
        case bytes(ArraySlice<UInt8>)
        /// No bytes are available yet.
        case nothing
        case end
        case failed
    }

    /// The number of bytes that may wait for the library before the writer must wait.
    static let highWater = 128 << 10

    private(set) var state = State.open
    /// The length that the head announces; `nil` if it announces none.
    var length: Int?
    /// The number of bytes that the library has taken.
    private(set) var sentBytes = 0
    private(set) var waitingBytes = 0
    private var pieces = FIFO<ArraySlice<UInt8>>()
    /// The rest of the piece that the library is taking.
    private var current: ArraySlice<UInt8> = []

    // MARK: The library's side

    /// Returns at most `limit` bytes.
    mutating func take(_ limit: Int) -> Portion {
        if state == .failed || state == .closed { return .failed }
        if current.isEmpty { current = pieces.popFirst() ?? [] }
        guard !current.isEmpty else {
            guard state == .ended else { return .nothing }
            // With an early end, the library would treat the response as complete.
            return sentBytes < length ?? 0 ? .failed : .end
        }
        let bytes = current.prefix(limit)
        current = current.dropFirst(limit)
        waitingBytes -= bytes.count
        sentBytes += bytes.count
        return .bytes(bytes)
    }

    /// Records that the library has taken a response other than a stream up to byte `count`.
    mutating func sent(upTo count: Int) {
        sentBytes = max(sentBytes, count)
    }

    /// Records that the library accepts no more bytes.
    mutating func close() {
        if state != .failed { state = .closed }
        pieces = FIFO()
        current = []
    }

    // MARK: The writer's side

    /// Adds a piece.
    ///
    /// Returns whether there is room for another.
    mutating func write(_ piece: [UInt8]) -> Result<Bool, CancellationError> {
        if state == .failed || state == .closed { return .failure(CancellationError()) }
        guard !piece.isEmpty else { return .success(true) }
        pieces.append(piece[...])
        waitingBytes += piece.count
        return .success(waitingBytes < Self.highWater)
    }

    /// Whether a writer may continue; `nil` if it must wait until the library has taken more.
    ///
    /// A writer that has waited continues when only a quarter is left.
    func room(hasWaited: Bool) -> Result<Void, CancellationError>? {
        if state == .failed || state == .closed { return .failure(CancellationError()) }
        let hasRoom = hasWaited ? waitingBytes <= Self.highWater / 4 : waitingBytes < Self.highWater
        return hasRoom ? .success(()) : nil
    }

    /// Records that the writer has returned or thrown.
    mutating func end(isComplete: Bool) {
        if !isComplete {
            state = .failed
        } else if state == .open {
            state = .ended
        }
    }
}
