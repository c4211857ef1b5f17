import CalotypeCore

/// A request's body as libcurl reads it.
///
/// A body never leaves its loop's thread.
struct OutgoingBody {
    let length: Int
    /// The number of bytes that libcurl has read.
    private(set) var taken = 0
    /// The number of bytes that libcurl has passed to the network.
    private(set) var sent = 0
    /// The block that libcurl is reading.
    private var block: [UInt8] = []
    private var position = 0

    init(length: Int = 0) {
        self.length = length
    }

    /// Fills `space` and returns the number of bytes.
    ///
    /// Returns zero at the end, and `nil` if the next block is not ready yet.
    ///
    /// - Throws: The reason why the rest cannot be read.
    mutating func fill(
        _ space: UnsafeMutableRawBufferPointer,
        from transfer: Transfer
    ) throws(CalotypeError) -> Int? {
        guard taken < length else { return 0 }
        if block.isEmpty {
            guard let next = try transfer.takeBlock() else { return nil }
            (block, position) = (next, 0)
        }
        let count = min(block.count - position, space.count)
        unsafe block.withUnsafeBytes { bytes in
            unsafe space.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
            )
        }
        taken += count
        position += count
        if position == block.count { block = [] }
        return count
    }

    /// Records the total number of bytes sent, and returns how many of them are new.
    mutating func sent(upTo total: Int) -> Int {
        let news = max(total - sent, 0)
        sent += news
        return news
    }
}

/// The queue of body blocks between a transfer's loop and the task that reads the files.
///
/// The task adds blocks and the loop removes them. Every input returns the action to perform outside the
/// lock. At most ``waitingBlocks`` blocks wait for the loop, so that memory stays bounded for a body of any
/// length.
struct SendStateMachine {
    /// A waiter that receives whether the loop wants another block.
    typealias RoomWaiter = CheckedContinuation<Bool, Never>

    /// The size of the blocks that the task reads from files.
    static let blockBytes = 128 << 10
    /// The task reads one block while the loop sends another.
    static let waitingBlocks = 1

    enum Taking {
        case block([UInt8], tells: RoomWaiter?)
        /// The loop pauses the sending until it is resumed.
        case waits
        case failure(CalotypeError)
    }

    /// The blocks that wait, in order.
    private var blocks: [[UInt8]]
    private var isPaused = false
    private var hasEnded = false
    private var failure: CalotypeError?
    private var waiter: RoomWaiter?

    /// Creates a queue with `blocks`: the whole body if it is in memory, or none if the task will read it.
    init(_ blocks: [[UInt8]] = []) {
        self.blocks = blocks
    }

    // MARK: The loop's side

    /// Removes the next block.
    ///
    /// Call this only if the body has another one.
    mutating func take() -> Taking {
        if !blocks.isEmpty {
            let block = blocks.removeFirst()
            defer { waiter = nil }
            return .block(block, tells: waiter)
        }
        if let failure { return .failure(failure) }
        isPaused = true
        return .waits
    }

    /// Ends the loop's part, and returns the waiter, which receives that no more blocks are wanted.
    mutating func end() -> RoomWaiter? {
        hasEnded = true
        blocks = []
        defer { waiter = nil }
        return waiter
    }

    // MARK: The reading task's side

    /// Whether a block is wanted; `nil` if the machine holds `waiter` until that is known.
    mutating func awaitRoom(_ waiter: RoomWaiter) -> Bool? {
        if hasEnded { return false }
        if blocks.count < Self.waitingBlocks { return true }
        self.waiter = waiter
        return nil
    }

    /// Adds a block, which must not be empty.
    ///
    /// Returns whether the loop must be resumed.
    mutating func supply(_ block: [UInt8]) -> Bool {
        guard !hasEnded else { return false }
        blocks.append(block)
        return resumes()
    }

    /// Records that the rest cannot be read.
    ///
    /// Returns whether the loop must be resumed.
    mutating func fail(_ error: CalotypeError) -> Bool {
        guard !hasEnded else { return false }
        failure = error
        return resumes()
    }

    private mutating func resumes() -> Bool {
        defer { isPaused = false }
        return isPaused
    }
}

/// Detects that an origin has closed its side of the connection while the request is still being sent.
///
/// libcurl 7.88 reads this end of the stream, reports it to nobody, and keeps sending. What it sends then
/// causes a reset. But sometimes nothing can be sent: the next block of the body is not ready, or the origin
/// stopped reading and its system accepts no more bytes. In those cases libcurl would wait for the idle
/// timeout, or forever.
struct EndWatch {
    /// The number of consecutive turns of libcurl that found the end.
    private var turns = 0

    /// Records whether a turn of libcurl found the end, with everything before it read.
    mutating func turned(hasEnded: Bool) {
        turns = hasEnded ? turns + 1 : 0
    }

    /// Whether libcurl must have another turn immediately.
    ///
    /// libcurl can better determine the state of the connection, and may be able to use another one.
    var wantsTurn: Bool { turns == 1 }

    /// Whether the exchange is over although libcurl continues it.
    var isOver: Bool { turns > 1 }
}
