import TaskFlow

/// A request's body on its way from the library to its reader.
///
/// The library brings it only after somebody asked for it, and pauses while too much of it waits.
struct RequestBodyMachine {
    /// How far the library is with the body.
    enum Arrival: Hashable {
        /// Nobody has asked for it, so the client may not have been told to send it.
        case unasked
        /// Somebody has asked; the library's next call lets it come.
        case asked
        case flowing
        /// All of it has come, or there is none.
        case whole
    }

    /// What to do with a piece.
    enum Intake: Hashable {
        /// Keep it for the reader.
        case keep
        /// Take it from the library; nobody will read it.
        case drop
        /// Leave it to the library until there is room.
        case wait
        /// The body is longer than allowed.
        case refuse
    }

    /// The bytes that wait for the reader before the client has to wait.
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

    /// Whether the library has to bring more for the reader.
    var wantsMore: Bool {
        guard failure == nil else { return false }
        return arrival == .asked || arrival == .flowing && waitingBytes <= Self.highWater / 4
    }

    // MARK: The library's side

    /// The library calls without a piece: lets an asked-for body come; returns whether it does.
    ///
    /// If the body was flowing, such a call means that it is complete.
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

    /// The library brings `count` bytes.
    mutating func offer(_ count: Int) -> Intake {
        guard receivedBytes + count <= limit ?? 0 else { return .refuse }
        if failure == nil, waitingBytes >= Self.highWater { return .wait }
        receivedBytes += count
        return failure == nil ? .keep : .drop
    }

    /// Keeps a piece that ``offer(_:)`` has accepted.
    mutating func keep(_ piece: [UInt8]) {
        pieces.append(piece)
        waitingBytes += piece.count
    }

    // MARK: The reader's side

    /// Returns the next piece, or `nil` at the end; the result itself is `nil` if the reader has to wait.
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

    /// Drops what waits and what will come; readers receive `error`.
    mutating func fail(_ error: HTTPListenerError) {
        failure = failure ?? error
        pieces = FIFO()
        waitingBytes = 0
    }
}
