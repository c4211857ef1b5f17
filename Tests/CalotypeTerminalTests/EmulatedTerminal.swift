import CalotypeCommandLineKit

/// A small terminal that shows what is written to it: what a frame's bytes do, seen from the other side.
///
/// It knows the sequences that we send, and reports any other.
struct EmulatedTerminal: Equatable {
    struct Cell: Equatable {
        var text = " "
        var style = "0"
        /// Which sixel picture is seen here.
        var sixel: String?
    }

    struct Spot: Hashable {
        let row: Int
        let column: Int
    }

    let columns: Int
    let rows: Int
    private(set) var cells: [Cell]
    /// Kitty's pictures by number: the bytes of their pixels in Base64.
    private(set) var images: [String: String] = [:]
    /// Where they are, by number and placement.
    private(set) var places: [String: Spot] = [:]
    private(set) var isCursorShown = true
    private(set) var cursor = Spot(row: 0, column: 0)
    private(set) var unknown: [String] = []
    private(set) var isUpdating = false
    private var style = "0"
    private var saved = Spot(row: 0, column: 0)
    private var partial = ""
    private var isWrapPending = false

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cells = Array(repeating: Cell(), count: columns * rows)
    }

    /// The text of a line.
    func line(_ row: Int) -> String {
        cells[row * columns..<(row + 1) * columns].map(\.text).joined()
    }

    var text: [String] { (0..<rows).map(line) }

    /// The cells in which this sixel picture is seen.
    func spots(ofSixel name: String) -> Set<Spot> {
        Set(
            cells.indices.filter { cells[$0].sixel == name }.map {
                Spot(row: $0 / columns, column: $0 % columns)
            }
        )
    }

    mutating func show(_ bytes: [UInt8]) {
        var rest = Substring(String(decoding: bytes, as: UTF8.self))
        while let character = rest.first {
            if character == "\u{1B}" { escape(&rest) } else { put(rest.removeFirst()) }
        }
    }

    private mutating func escape(_ rest: inout Substring) {
        rest.removeFirst()
        guard let kind = rest.popFirst() else { return unknown.append("ESC at the end") }
        switch kind {
        case "[": control(&rest)
        case "_", "P":
            guard let end = rest.range(of: "\u{1B}\\") else {
                return unknown.append("no end of \(rest.prefix(9))")
            }
            let body = String(rest[..<end.lowerBound])
            rest = rest[end.upperBound...]
            if kind == "_" { kitty(String(body.dropFirst())) } else { sixel(body) }
        case "7": saved = cursor
        case "8": cursor = saved
        case "\\": break
        default: unknown.append("ESC \(kind)")
        }
    }

    private mutating func control(_ rest: inout Substring) {
        let body = rest.prefix { !$0.isLetter }
        rest = rest.dropFirst(body.count)
        guard let final = rest.popFirst() else { return unknown.append("CSI without an end") }
        let numbers = body.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        switch (final, body) {
        case ("H", _): move(Spot(row: (numbers.first ?? 1) - 1, column: (numbers.last ?? 1) - 1))
        case ("A", _): move(Spot(row: cursor.row - max(numbers[0], 1), column: cursor.column))
        case ("G", _): move(Spot(row: cursor.row, column: numbers[0] - 1))
        case ("m", _): style = body.isEmpty || body == "0" ? "0" : String(body)
        case ("J", "2"): cells = Array(repeating: Cell(), count: columns * rows)
        case ("K", ""): for column in cursor.column..<columns { set(cursor.row, column, Cell()) }
        case ("h", "?25"), ("l", "?25"): isCursorShown = final == "h"
        case ("h", "?2026"), ("l", "?2026"): isUpdating = final == "h"
        case ("h", "?1049"), ("l", "?1049"), ("h", "?7"), ("l", "?7"), ("l", "?2004"): break
        default: unknown.append("CSI \(body)\(final)")
        }
    }

    private mutating func move(_ spot: Spot) {
        if !(0..<rows).contains(spot.row) || !(0..<columns).contains(spot.column) {
            unknown.append("\(spot)")
        }
        cursor = spot
        isWrapPending = false
    }

    private mutating func put(_ character: Character) {
        let width = TextWidth.columns(of: character)
        guard width > 0 else { return unknown.append("character \(character.unicodeScalars.map(\.value))") }
        // Nobody relies on what a terminal does beyond its right edge.
        guard !isWrapPending, cursor.column + width <= columns else {
            return unknown.append("\(character) at the edge")
        }
        for column in cursor.column..<cursor.column + width { split(cursor.row, column) }
        set(cursor.row, cursor.column, Cell(text: String(character), style: style))
        for column in cursor.column + 1..<cursor.column + width {
            set(cursor.row, column, Cell(text: "", style: "0"))
        }
        isWrapPending = cursor.column + width == columns
        cursor = Spot(row: cursor.row, column: min(cursor.column + width, columns - 1))
    }

    /// Blanks the wide character that has a part here.
    private mutating func split(_ row: Int, _ column: Int) {
        var first = column
        while first > 0, cells[row * columns + first].text.isEmpty { first -= 1 }
        var last = column + 1
        while last < columns, cells[row * columns + last].text.isEmpty { last += 1 }
        guard last - first > 1 else { return }
        for position in first..<last { set(row, position, Cell()) }
    }

    private mutating func set(_ row: Int, _ column: Int, _ cell: Cell) {
        cells[row * columns + column] = cell
    }

    /// A picture of sixels marks the cells of 10 by 20 pixels that its size covers; the rest of it is its name.
    private mutating func sixel(_ body: String) {
        let numbers = body.split { !$0.isNumber }.compactMap { Int($0) }
        guard body.hasPrefix("0;1;0q\"1;1;"), numbers.count >= 7 else { return unknown.append("DCS \(body)") }
        for row in cursor.row..<cursor.row + (numbers[6] + 19) / 20 {
            for column in cursor.column..<cursor.column + (numbers[5] + 9) / 10 {
                cells[row * columns + column].sixel = body
            }
        }
        // Terminals differ in where they leave the cursor.
        cursor = Spot(row: rows - 1, column: columns - 1)
    }

    private mutating func kitty(_ body: String) {
        let parts = body.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        var keys: [Substring: String] = [:]
        for pair in parts[0].split(separator: ",") {
            let sides = pair.split(separator: "=", maxSplits: 1)
            keys[sides[0]] = String(sides.last ?? "")
        }
        let number = keys["i"] ?? partial
        let place = "\(number)/\(keys["p"] ?? "0")"
        switch (keys["a"], keys["d"]) {
        case ("t", _), (nil, _):
            images[number, default: ""] += parts.count > 1 ? String(parts[1]) : ""
            partial = keys["m"] == "1" ? number : ""
        case ("p", _):
            guard images[number] != nil else { return unknown.append("picture \(number) was not sent") }
            if places[place] != nil { unknown.append("\(place) is placed twice") }
            places[place] = cursor
        case ("d", "A"): (images, places) = ([:], [:])
        case ("d", "i"): places[place] = nil
        case ("d", "I"):
            images[number] = nil
            places = places.filter { !$0.key.hasPrefix("\(number)/") }
        default: unknown.append("APC \(parts[0])")
        }
    }
}

extension Substring {
    /// The first place of `text`, without Foundation.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
