internal import CalotypeCore

/// A watermark whose parts are set one by one.
struct WatermarkDraft: Hashable, Sendable {
    private var opacity = 0.0
    /// Where it is laid; `nil` where it covers the whole picture.
    private var place: Gravity.Place? = .centre
    private var x = 0.0
    private var y = 0.0
    private var scale = 0.0

    /// Reads opacity, position, offsets and scale.
    mutating func apply(_ option: OptionArguments) throws(RequestRefusal) {
        try option.limit(7)
        guard !option.has(5), !option.has(6) else { throw .unsupported("a watermark's sixth argument is") }
        opacity = try option.number(0, 0...1)
        if option.has(1) { place = try Self.place(option) }
        if option.has(2) { x = try option.number(2, GravityDraft.offsets) }
        if option.has(3) { y = try option.number(3, GravityDraft.offsets) }
        if option.has(4) { scale = try option.number(4, 0...100) }
    }

    /// The watermark; `nil` where it would not be seen.
    func finished(_ configuration: PathConfiguration) throws(RequestRefusal) -> Watermark? {
        guard opacity > 0 else { return nil }
        guard let picture = configuration.watermark else {
            throw .invalid("the server has no picture for watermarks", .unsupportedOption)
        }
        return Watermark(
            picture,
            opacity: opacity * configuration.watermarkOpacity,
            position: place.map { .once(.place($0, x: x, y: y)) } ?? .tiled(x: x, y: y),
            scale: scale
        )
    }

    private static func place(_ option: OptionArguments) throws(RequestRefusal) -> Gravity.Place? {
        if option[1] == "re" { return nil }
        if option[1] == "ch" { throw .unsupported("the watermark position ch is") }
        guard let place = GravityDraft.place(option[1]) else { throw option.bad(1, "a position") }
        return place
    }
}
