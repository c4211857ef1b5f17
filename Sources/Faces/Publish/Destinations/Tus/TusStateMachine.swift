/// Decides what an upload attempt does next, based on the offset that the server reports.
///
/// The machine accepts an offset lower than expected, but not one higher than possible.
struct TusStateMachine {
    /// The next action.
    enum Action: Hashable {
        /// Ask the server for its offset.
        case ask
        /// Send this range of the file's bytes.
        case send(Range<Int>)
        /// The server has the whole file.
        case finish
        /// The attempt has failed.
        case fail(Reason)
    }

    /// The reason why an attempt has failed.
    enum Reason: Hashable {
        /// The server reports more bytes than it was sent.
        case beyond(Int)
        /// The server repeatedly accepts no more bytes from this offset.
        case stuck(at: Int)
    }

    /// The maximum number of consecutive responses without progress.
    static let maximumDetours = 5

    private let length: Int
    private let pieceBytes: Int
    /// The highest offset that the server has reported.
    private var highest = 0
    private var detours = 0

    init(length: Int, pieceBytes: Int) {
        self.length = length
        self.pieceBytes = max(pieceBytes, 1)
    }

    /// Handles the offset that the server reported when asked.
    mutating func told(_ offset: Int) -> Action {
        guard offset <= length else { return .fail(.beyond(offset)) }
        advance(to: offset)
        return next(from: offset)
    }

    /// Handles the offset that the server reported after it was sent `range`.
    mutating func told(_ offset: Int, afterSending range: Range<Int>) -> Action {
        guard offset <= range.upperBound else { return .fail(.beyond(offset)) }
        advance(to: offset)
        guard offset > range.lowerBound else { return detour(at: offset) ?? next(from: offset) }
        return next(from: offset)
    }

    /// Handles a refusal of `range`, or a response without an offset.
    mutating func refused(_ range: Range<Int>) -> Action {
        detour(at: range.lowerBound) ?? .ask
    }

    private func next(from offset: Int) -> Action {
        offset == length ? .finish : .send(offset..<min(length, offset + pieceBytes))
    }

    private mutating func advance(to offset: Int) {
        guard offset > highest else { return }
        (highest, detours) = (offset, 0)
    }

    private mutating func detour(at offset: Int) -> Action? {
        detours += 1
        return detours > Self.maximumDetours ? .fail(.stuck(at: offset)) : nil
    }
}
