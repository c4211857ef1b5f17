import CalotypeCore

/// A request's body as libcurl takes it; it never leaves its loop's thread.
struct OutgoingBody {
    let length: Int
    /// The bytes that libcurl has taken.
    private(set) var taken = 0
    /// The bytes that libcurl has handed to the network.
    private(set) var sent = 0
    /// The block that is being taken, as far as it goes.
    private var block: [UInt8] = []
    private var position = 0

    init(length: Int = 0) {
        self.length = length
    }

    /// Fills `space` and tells with how many bytes, zero at the end; `nil` where the next block has not come.
    ///
    /// - Throws: Why the rest cannot be read.
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

    /// Takes notice of how much has been sent in all; how much of that is new.
    mutating func sent(upTo total: Int) -> Int {
        let news = max(total - sent, 0)
        sent += news
        return news
    }
}

/// What one transfer's loop and the task that reads its files agree on: the blocks of the request's body between them.
///
/// The task puts in, the loop takes out; every input returns what is to be done outside the lock. At most
/// ``waitingBlocks`` wait for the loop, so that memory stays bounded whatever the length of the body.
struct SendStateMachine {
    /// Resumed with whether another block is wanted.
    typealias RoomWaiter = CheckedContinuation<Bool, Never>

    /// The size of the blocks that files are read in.
    static let blockBytes = 128 << 10
    /// One is read while another is sent.
    static let waitingBlocks = 1

    enum Taking {
        case block([UInt8], tells: RoomWaiter?)
        /// The loop pauses the sending until it is asked to go on.
        case waits
        case failure(CalotypeError)
    }

    /// The next block first.
    private var blocks: [[UInt8]]
    private var isPaused = false
    private var hasEnded = false
    private var failure: CalotypeError?
    private var waiter: RoomWaiter?

    /// Creates a machine for a body whose `blocks` are in memory, or are still to be read.
    init(_ blocks: [[UInt8]] = []) {
        self.blocks = blocks
    }

    // MARK: The loop's side

    /// The next block; there must be one to come.
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

    /// The loop is through with the transfer; whoever waits is told that nothing more is wanted.
    mutating func end() -> RoomWaiter? {
        hasEnded = true
        blocks = []
        defer { waiter = nil }
        return waiter
    }

    // MARK: The reading task's side

    /// Whether a block is wanted; `nil` where `waiter` is kept until that is known.
    mutating func awaitRoom(_ waiter: RoomWaiter) -> Bool? {
        if hasEnded { return false }
        if blocks.count < Self.waitingBlocks { return true }
        self.waiter = waiter
        return nil
    }

    /// Takes a block, not empty; whether the loop is to be asked to go on.
    mutating func supply(_ block: [UInt8]) -> Bool {
        guard !hasEnded else { return false }
        blocks.append(block)
        return resumes()
    }

    /// Takes notice that nothing more can be read; whether the loop is to be asked to go on.
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

/// Finds out that an origin has ended its side of the connection while the request is still being sent to it.
///
/// libcurl 7.88 reads such an end, tells nobody, and goes on sending. What it sends then brings a reset, unless nothing can be
/// sent: where the next block of the body has not come yet, or where the origin's system takes nothing more, because the origin
/// stopped to read before it ended. There libcurl would wait until the idle timeout, or for ever.
struct EndWatch {
    /// How many of libcurl's turns have found the end.
    private var turns = 0

    /// Takes notice of whether a turn of libcurl has found the end and all that came before it read.
    mutating func turned(hasEnded: Bool) {
        turns = hasEnded ? turns + 1 : 0
    }

    /// Whether libcurl is to have another turn at once.
    ///
    /// It can tell better than this what has become of the connection, and may be able to use another one.
    var wantsTurn: Bool { turns == 1 }

    /// Whether the exchange is over, though libcurl goes on.
    var isOver: Bool { turns > 1 }
}
