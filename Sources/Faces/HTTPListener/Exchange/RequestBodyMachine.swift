import TaskFlow

/// The state of a request's body between the library and its reader.
///
/// The library delivers the body only after a reader has requested it, and pauses while too much of it waits.
struct RequestBodyMachine {
    /// The progress of the library with the body.
    enum Arrival: Hashable {
        /// Nobody has requested the body, so the client may not have been told to send it.
        case unasked
        /// A reader has requested the body; the library's next call lets it arrive.
        case asked
        case flowing
        /// The whole body has arrived, or there is none.
        case whole
    }

    /// What to do with a piece.
    enum Intake: Hashable {
        /// Store the piece for the reader.
        case keep
        /// Accept and discard the piece; nobody will read it.
        case drop
        /// Leave the piece in the library until there is room.
        case wait
        /// The body exceeds its limit.
        case refuse
    }

    /// The number of bytes that may wait for the reader before the client must wait.
    static let highWater = 128 << 10

    /// Maximum size of the body; `nil` if there is none.
    let limit: Int?
    private(set) var arrival: Arrival
    /// Why the body cannot be read any further.
    private(set) var failure: HTTPListenerError?
    private var receivedBytes = 0
    private var waitingBytes = 0
    private var pieces = FIFO<[UInt8]>()

    init(limit: Int?) {
        self.limit = limit
        arrival = limit == nil ? .whole : .unasked
    }

    /// Whether the library must deliver more for the reader.
    var wantsMore: Bool {
        guard failure == nil else { return false }
        return arrival == .asked || arrival == .flowing && waitingBytes <= Self.highWater / 4
    }

    // MARK: The library's side

    /// Handles a call without a piece.
    ///
    /// Lets a requested body arrive, and returns whether it does.
    ///
    /// If the body was already arriving, such a call means that it is complete.
    mutating func call() -> Bool {
        switch arrival {
        case .asked:
            arrival = .flowing
            return true
        case .flowing: arrival = .whole
        case .unasked, .whole: break
        }
        return false
    }

    /// Decides about the next `count` bytes.
    mutating func offer(_ count: Int) -> Intake {
        guard receivedBytes + count <= limit ?? 0 else { return .refuse }
        if failure == nil, waitingBytes >= Self.highWater { return .wait }
        receivedBytes += count
        return failure == nil ? .keep : .drop
    }

    /// Stores a piece that ``offer(_:)`` has accepted.
    mutating func keep(_ piece: [UInt8]) {
        pieces.append(piece)
        waitingBytes += piece.count
    }

    // MARK: The reader's side

    /// Returns the next piece, or `nil` at the end; the result itself is `nil` if the reader must wait.
    mutating func next() -> Result<[UInt8]?, HTTPListenerError>? {
        if let failure { return .failure(failure) }
        if let piece = pieces.popFirst() {
            waitingBytes -= piece.count
            return .success(piece)
        }
        if arrival == .whole { return .success(nil) }
        if arrival == .unasked { arrival = .asked }
        return nil
    }

    /// Discards the pieces that wait and all later ones.
    ///
    /// Readers receive `error`.
    mutating func fail(_ error: HTTPListenerError) {
        failure = failure ?? error
        pieces = FIFO()
        waitingBytes = 0
    }
}
