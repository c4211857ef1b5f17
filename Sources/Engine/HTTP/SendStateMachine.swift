import CalotypeCore

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
