/// A key's move through ordered items.
enum Move: Hashable, Sendable {
    case left, right, up, down, pageUp, pageDown, first, last

    /// Creates the move for a key; `nil` if the key has none.
    init?(_ key: KeyPress) {
        switch key {
        case .left, .character("h"): self = .left
        case .right, .character("l"): self = .right
        case .up, .character("k"): self = .up
        case .down, .character("j"): self = .down
        case .pageUp, .character("b"): self = .pageUp
        case .pageDown, .character(" "): self = .pageDown
        case .home, .character("g"): self = .first
        case .end, .character("G"): self = .last
        default: return nil
        }
    }

    /// The move in a single row, in which up means left and down means right.
    var alongOne: Move {
        switch self {
        case .up, .pageUp: .left
        case .down, .pageDown: .right
        default: self
        }
    }

    /// Returns the target of the move from `index` in a grid of `count` items; `index` if it cannot move.
    func target(from index: Int, of count: Int, columns: Int, rows: Int) -> Int {
        let (columns, rows, last) = (max(columns, 1), max(rows, 1), max(count - 1, 0))
        let lines: Int
        switch self {
        case .left: return max(index - 1, 0)
        case .right: return min(index + 1, last)
        case .first: return 0
        case .last: return last
        case .up: lines = -1
        case .down: lines = 1
        case .pageUp: lines = -rows
        case .pageDown: lines = rows
        }
        let line = min(max(index / columns + lines, 0), last / columns)
        return min(line * columns + index % columns, last)
    }

    /// Returns the target of the move in text of which `page` lines are visible; the caller limits it to the
    /// text.
    func line(from line: Int, page: Int) -> Int {
        switch self {
        case .up, .left: line - 1
        case .down, .right: line + 1
        case .pageUp: line - max(page - 1, 1)
        case .pageDown: line + max(page - 1, 1)
        case .first: 0
        case .last: .max
        }
    }
}
