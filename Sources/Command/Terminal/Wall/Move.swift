/// A step that keys take through things in order.
enum Move: Hashable, Sendable {
    case left, right, up, down, pageUp, pageDown, first, last

    /// The step of the key; `nil` for keys that mean none.
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

    /// The same step where things lie one after another: up is left, and down is right.
    var alongOne: Move {
        switch self {
        case .up, .pageUp: .left
        case .down, .pageDown: .right
        default: self
        }
    }

    /// Where it leads from `index` in a grid of `count` things; it stays where there is nowhere to go.
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

    /// Where it leads in lines of text that show `page` of them; the caller keeps it in range.
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
