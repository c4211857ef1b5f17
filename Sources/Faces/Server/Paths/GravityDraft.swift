internal import CalotypeCore

/// A gravity whose parts may be set one by one: offsets stay when only the place changes.
struct GravityDraft: Hashable, Sendable {
    /// What an option lets be a gravity.
    enum Kinds {
        case all, withoutAttention
    }

    private enum Kind: Hashable {
        case place(Gravity.Place)
        case focus, attention
    }

    private static let places: [String: Gravity.Place] = [
        "ce": .centre, "no": .north, "so": .south, "ea": .east, "we": .west,
        "noea": .northEast, "nowe": .northWest, "soea": .southEast, "sowe": .southWest,
    ]

    private var kind: Kind?
    private var x = 0.0
    private var y = 0.0

    /// The place that `word` names.
    static func place(_ word: String) -> Gravity.Place? { places[word] }

    /// The gravity; `nil` where nothing was set.
    var gravity: Gravity? {
        switch kind {
        case .place(let place): .place(place, x: x, y: y)
        case .focus: .focus(x: x, y: y)
        case .attention: .attention
        case nil: nil
        }
    }

    /// Reads the arguments of `option` from `start` on: a word, and offsets or a point.
    mutating func apply(
        _ option: OptionArguments,
        from start: Int = 0,
        _ kinds: Kinds = .all
    ) throws(RequestRefusal) {
        try option.limit(start + 3)
        let kind = try Self.kind(option, start, kinds)
        let offsets: ClosedRange<Double>
        switch kind {
        case .attention:
            guard option.count == start + 1 else { throw option.refusal("has an offset behind 'sm'") }
            (self.kind, x, y) = (kind, 0, 0)
            return
        case .focus:
            guard option.count == start + 3 else { throw option.refusal("has 'fp' without x and y") }
            offsets = 0...1
        case .place: offsets = Self.offsets
        }
        if option.count > start + 1 { x = try option.number(start + 1, offsets) }
        if option.count > start + 2 { y = try option.number(start + 2, offsets) }
        self.kind = kind
    }

    /// What an offset may be, in pixels either way.
    static let offsets = -65_535.0...65_535.0

    private static func kind(
        _ option: OptionArguments,
        _ index: Int,
        _ kinds: Kinds
    ) throws(RequestRefusal) -> Kind {
        if let place = place(option[index]) { return .place(place) }
        switch option[index] {
        case "fp": return .focus
        case "sm" where kinds == .all: return .attention
        case "obj", "objw": throw .unsupported("the gravity \(option[index]) is")
        default: throw option.bad(index, kinds == .all ? "a gravity" : "a gravity other than sm")
        }
    }
}
