import CalotypeHTTPMessages

/// What one transfer's loop and its reader agree on: the head, the bytes between them, and the end.
///
/// The loop puts in, the reader takes out. Every input returns what is to be done outside the lock. The buffer holds at
/// most ``highWater`` bytes; the loop is asked to go on when at most ``lowWater`` of them are left.
struct TransferStateMachine {
    typealias HeadWaiter = CheckedContinuation<ResponseHead, any Error>
    typealias ChunkWaiter = CheckedContinuation<[UInt8]?, any Error>
    typealias EndWaiter = CheckedContinuation<Void, Never>

    static let highWater = 128 << 10
    static let lowWater = highWater / 4
    /// Small pieces are joined up to this size, so that a body of single bytes costs no array for each.
    static let joinedChunk = 16 << 10

    enum Reading {
        case chunk([UInt8], resumesLoop: Bool)
        case end
        case failure(any Error)
        case waits
    }

    /// Those who are told of the end.
    struct Farewell {
        var head: HeadWaiter?
        var chunk: ChunkWaiter?
        var end: [EndWaiter] = []
    }

    private var head: ResponseHead?
    private var chunks: [[UInt8]] = []
    private var firstChunk = 0
    private(set) var bufferedBytes = 0
    private var isPaused = false
    private var isAbandoned = false
    /// How the loop's part ended; the loop does not know the transfer any more.
    private var outcome: Result<Void, any Error>?
    private var headWaiter: HeadWaiter?
    private var chunkWaiter: ChunkWaiter?
    private var endWaiters: [EndWaiter] = []

    /// Whether the loop is through with it.
    var hasEnded: Bool { outcome != nil }

    // MARK: The loop's side

    mutating func receive(_ head: ResponseHead) -> HeadWaiter? {
        self.head = head
        defer { headWaiter = nil }
        return headWaiter
    }

    /// Whether `count` more bytes may come; if not, the loop pauses the transfer until it is asked to go on.
    mutating func hasRoom(for count: Int) -> Bool {
        if bufferedBytes == 0 || bufferedBytes + count <= Self.highWater { return true }
        isPaused = true
        return false
    }

    /// Takes bytes; whether a reader waits for them.
    mutating func receive(_ chunk: [UInt8]) -> Bool {
        guard !isAbandoned else { return false }
        bufferedBytes += chunk.count
        if chunks.count > firstChunk, chunks[chunks.count - 1].count + chunk.count <= Self.joinedChunk {
            chunks[chunks.count - 1] += chunk
        } else {
            chunks.append(chunk)
        }
        return chunkWaiter != nil
    }

    /// The reader who waits, if there is something to read, and what to give it.
    mutating func deliver() -> (waiter: ChunkWaiter, reading: Reading)? {
        guard let waiter = chunkWaiter, firstChunk < chunks.count else { return nil }
        chunkWaiter = nil
        return (waiter, read())
    }

    /// The loop is through: with the whole body, or with an error.
    mutating func finish(_ result: Result<Void, any Error>) -> Farewell {
        guard outcome == nil else { return Farewell() }
        outcome = result
        defer { (headWaiter, chunkWaiter, endWaiters) = (nil, nil, []) }
        return Farewell(head: headWaiter, chunk: chunkWaiter, end: endWaiters)
    }

    // MARK: The reader's side

    /// The head or the failure if there is one; otherwise `waiter` is kept.
    mutating func awaitHead(_ waiter: HeadWaiter) -> Result<ResponseHead, any Error>? {
        if isAbandoned { return .failure(CancellationError()) }
        if let head { return .success(head) }
        if case .failure(let error)? = outcome { return .failure(error) }
        headWaiter = waiter
        return nil
    }

    /// What there is to read, without waiting.
    mutating func read() -> Reading {
        if isAbandoned { return .failure(CancellationError()) }
        if firstChunk < chunks.count { return .chunk(takeChunk(), resumesLoop: shallResume()) }
        switch outcome {
        case nil: return .waits
        case .success?: return .end
        case .failure(let error)?: return .failure(error)
        }
    }

    /// What there is to read; otherwise `waiter` is kept.
    mutating func read(_ waiter: ChunkWaiter) -> Reading {
        let reading = read()
        if case .waits = reading {
            if chunkWaiter != nil { preconditionFailure("a body is read by one reader at a time") }
            chunkWaiter = waiter
        }
        return reading
    }

    /// The reader wants no more: drops what is buffered, returns who waited, and whether the loop must be told.
    mutating func abandon() -> (waiters: Farewell, tellsLoop: Bool) {
        guard !isAbandoned else { return (Farewell(), false) }
        isAbandoned = true
        (chunks, firstChunk, bufferedBytes) = ([], 0, 0)
        defer { (headWaiter, chunkWaiter) = (nil, nil) }
        return (Farewell(head: headWaiter, chunk: chunkWaiter), outcome == nil)
    }

    /// Keeps `waiter` until the loop is through; `false` if it is already.
    mutating func awaitEnd(_ waiter: EndWaiter) -> Bool {
        guard outcome == nil else { return false }
        endWaiters.append(waiter)
        return true
    }

    private mutating func takeChunk() -> [UInt8] {
        let chunk = chunks[firstChunk]
        // The array's own copy goes, so that the reader is the only owner of its bytes.
        chunks[firstChunk] = []
        firstChunk += 1
        bufferedBytes -= chunk.count
        if firstChunk == chunks.count {
            chunks.removeAll(keepingCapacity: true)
            firstChunk = 0
        }
        return chunk
    }

    private mutating func shallResume() -> Bool {
        guard isPaused, bufferedBytes <= Self.lowWater else { return false }
        isPaused = false
        return outcome == nil
    }
}
