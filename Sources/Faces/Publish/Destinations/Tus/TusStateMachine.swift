/// What an attempt at an upload does next, by what the server says that it has.
///
/// The server is believed where it has less than was thought. It is not believed where it has more than there can be.
struct TusStateMachine {
    /// What is to be done next.
    enum Action: Hashable {
        /// The server is asked how much it has.
        case ask
        /// The bytes of the file in this range are sent.
        case send(Range<Int>)
        /// The server has the whole file.
        case finish
        /// The attempt is over.
        case fail(Fault)
    }

    /// Why an attempt is over.
    enum Fault: Hashable {
        /// The server says that it has more than it was sent.
        case beyond(Int)
        /// The server takes nothing from here on, however often it is asked.
        case stuck(at: Int)
    }

    /// The most answers in a row that do not bring the upload further.
    static let maximumDetours = 5

    private let length: Int
    private let pieceBytes: Int
    /// The most that the server said that it had.
    private var highest = 0
    private var detours = 0

    init(length: Int, pieceBytes: Int) {
        self.length = length
        self.pieceBytes = max(pieceBytes, 1)
    }

    /// The server was asked, and has the first `offset` bytes.
    mutating func told(_ offset: Int) -> Action {
        guard offset <= length else { return .fail(.beyond(offset)) }
        advance(to: offset)
        return next(from: offset)
    }

    /// The server was sent `range`, and has the first `offset` bytes.
    mutating func told(_ offset: Int, afterSending range: Range<Int>) -> Action {
        guard offset <= range.upperBound else { return .fail(.beyond(offset)) }
        advance(to: offset)
        guard offset > range.lowerBound else { return detour(at: offset) ?? next(from: offset) }
        return next(from: offset)
    }

    /// The server did not want `range`, or did not say what it has now.
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
