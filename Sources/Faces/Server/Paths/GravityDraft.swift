internal import CalotypeCore

/// A gravity whose parts are set separately: the offsets stay if only the place changes.
struct GravityDraft: Hashable, Sendable {
    /// The kinds of gravity that an option accepts.
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

    /// The gravity; `nil` if none was set.
    var gravity: Gravity? {
        switch kind {
        case .place(let place): .place(place, x: x, y: y)
        case .focus: .focus(x: x, y: y)
        case .attention: .attention
        case nil: nil
        }
    }

    /// Reads the arguments of `option` from `start` on: a word, and then offsets or a point.
    mutating func apply(
        _ option: OptionArguments,
        from start: Int = 0,
        _ kinds: Kinds = .all
    ) throws(ServerError) {
        try option.limit(start + 3)
        let kind = try Self.kind(option, start, kinds)
        let offsets: ClosedRange<Double>
        switch kind {
        case .attention:
            guard option.count == start + 1 else { throw option.refusal("has an offset after 'sm'") }
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

    /// The range of an offset in pixels.
    static let offsets = -65_535.0...65_535.0

    private static func kind(
        _ option: OptionArguments,
        _ index: Int,
        _ kinds: Kinds
    ) throws(ServerError) -> Kind {
        if let place = place(option[index]) { return .place(place) }
        switch option[index] {
        case "fp": return .focus
        case "sm" where kinds == .all: return .attention
        case "obj", "objw": throw .unsupported("the gravity \(option[index]) is")
        default: throw option.bad(index, kinds == .all ? "a gravity" : "a gravity other than sm")
        }
    }
}

/// A watermark whose parts are set separately.
struct WatermarkDraft: Hashable, Sendable {
    private var opacity = 0.0
    /// The position; `nil` if the watermark covers the whole image.
    private var place: Gravity.Place? = .centre
    private var x = 0.0
    private var y = 0.0
    private var scale = 0.0

    /// Reads opacity, position, offsets and scale.
    mutating func apply(_ option: OptionArguments) throws(ServerError) {
        try option.limit(7)
        guard !option.has(5), !option.has(6) else { throw .unsupported("a watermark's sixth argument is") }
        opacity = try option.number(0, 0...1)
        if option.has(1) { place = try Self.place(option) }
        if option.has(2) { x = try option.number(2, GravityDraft.offsets) }
        if option.has(3) { y = try option.number(3, GravityDraft.offsets) }
        if option.has(4) { scale = try option.number(4, 0...100) }
    }

    /// The watermark; `nil` if it would be invisible.
    func finished(_ configuration: PathConfiguration) throws(ServerError) -> Watermark? {
        guard opacity > 0 else { return nil }
        guard let picture = configuration.watermark else {
            throw .invalid("the server has no watermark image", .unsupportedOption)
        }
        return Watermark(
            picture,
            opacity: opacity * configuration.watermarkOpacity,
            position: place.map { .once(.place($0, x: x, y: y)) } ?? .tiled(x: x, y: y),
            scale: scale
        )
    }

    private static func place(_ option: OptionArguments) throws(ServerError) -> Gravity.Place? {
        if option[1] == "re" { return nil }
        if option[1] == "ch" { throw .unsupported("the watermark position ch is") }
        guard let place = GravityDraft.place(option[1]) else { throw option.bad(1, "a position") }
        return place
    }
}
