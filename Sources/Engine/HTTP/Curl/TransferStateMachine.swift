import CalotypeHTTPMessages

/// The state shared by one transfer's loop and its reader: the head, the buffered bytes, and the end.
///
/// The loop adds bytes and the reader removes them. Every input returns the action to perform outside the
/// lock. The buffer holds at most ``highWater`` bytes. A paused loop resumes when at most ``lowWater`` bytes
/// are left.
struct TransferStateMachine {
    typealias HeadWaiter = CheckedContinuation<ResponseHead, any Error>
    typealias ChunkWaiter = CheckedContinuation<[UInt8]?, any Error>
    typealias EndWaiter = CheckedContinuation<Void, Never>

    static let highWater = 128 << 10
    static let lowWater = highWater / 4
    /// The size up to which small pieces are joined.
    ///
    /// A body of single bytes then needs no array for each byte.
    static let joinedChunk = 16 << 10

    enum Reading {
        case chunk([UInt8], resumesLoop: Bool)
        case end
        case failure(any Error)
        case waits
    }

    /// The waiters that receive the end of the transfer.
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
    /// How the loop's part ended; the loop has released the transfer.
    private var outcome: Result<Void, any Error>?
    private var headWaiter: HeadWaiter?
    private var chunkWaiter: ChunkWaiter?
    private var endWaiters: [EndWaiter] = []

    /// Whether the loop has finished the transfer.
    var hasEnded: Bool { outcome != nil }

    // MARK: The loop's side

    mutating func receive(_ head: ResponseHead) -> HeadWaiter? {
        self.head = head
        defer { headWaiter = nil }
        return headWaiter
    }

    /// Whether the buffer has room for `count` more bytes.
    ///
    /// If not, the loop pauses until it is resumed.
    mutating func hasRoom(for count: Int) -> Bool {
        if bufferedBytes == 0 || bufferedBytes + count <= Self.highWater { return true }
        isPaused = true
        return false
    }

    /// Buffers bytes.
    ///
    /// Returns whether a reader waits for them.
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

    /// Returns the waiting reader and its data, if there is data to read.
    mutating func deliver() -> (waiter: ChunkWaiter, reading: Reading)? {
        guard let waiter = chunkWaiter, firstChunk < chunks.count else { return nil }
        chunkWaiter = nil
        return (waiter, read())
    }

    /// Records that the loop has finished: with the whole body, or with an error.
    mutating func finish(_ result: Result<Void, any Error>) -> Farewell {
        guard outcome == nil else { return Farewell() }
        outcome = result
        defer { (headWaiter, chunkWaiter, endWaiters) = (nil, nil, []) }
        return Farewell(head: headWaiter, chunk: chunkWaiter, end: endWaiters)
    }

    // MARK: The reader's side

    /// Returns the head or the failure if there is one; otherwise holds `waiter`.
    mutating func awaitHead(_ waiter: HeadWaiter) -> Result<ResponseHead, any Error>? {
        if isAbandoned { return .failure(CancellationError()) }
        if let head { return .success(head) }
        if case .failure(let error)? = outcome { return .failure(error) }
        headWaiter = waiter
        return nil
    }

    /// Returns what can be read without waiting.
    mutating func read() -> Reading {
        if isAbandoned { return .failure(CancellationError()) }
        if firstChunk < chunks.count { return .chunk(takeChunk(), resumesLoop: shallResume()) }
        switch outcome {
        case nil: return .waits
        case .success?: return .end
        case .failure(let error)?: return .failure(error)
        }
    }

    /// Returns what can be read, or holds `waiter`.
    mutating func read(_ waiter: ChunkWaiter) -> Reading {
        let reading = read()
        if case .waits = reading {
            if chunkWaiter != nil { preconditionFailure("a body is read by one reader at a time") }
            chunkWaiter = waiter
        }
        return reading
    }

    /// Ends the reader's part: discards the buffer, and returns the waiters and whether to notify the loop.
    mutating func abandon() -> (waiters: Farewell, tellsLoop: Bool) {
        guard !isAbandoned else { return (Farewell(), false) }
        isAbandoned = true
        (chunks, firstChunk, bufferedBytes) = ([], 0, 0)
        defer { (headWaiter, chunkWaiter) = (nil, nil) }
        return (Farewell(head: headWaiter, chunk: chunkWaiter), outcome == nil)
    }

    /// Holds `waiter` until the loop finishes.
    ///
    /// Returns `false` if it already has.
    mutating func awaitEnd(_ waiter: EndWaiter) -> Bool {
        guard outcome == nil else { return false }
        endWaiters.append(waiter)
        return true
    }

    private mutating func takeChunk() -> [UInt8] {
        let chunk = chunks[firstChunk]
        // The buffer's own reference is cleared, so that the reader becomes the only owner of the bytes.
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
