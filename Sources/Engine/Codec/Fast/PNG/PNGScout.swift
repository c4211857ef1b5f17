import CalotypeCore

/// Holds the first rows of a picture until it is known how it is stored best: all rows where it has few colours or its
/// alpha is opaque, as long as they are not too many.
struct PNGScout {
    /// The most bytes of rows that are held.
    private static let mostBytes = 8 << 20

    private let model: SampleLayout.Model
    private var rows: [UInt8] = []
    private var colours: PNGColours?
    private var isOpaque: Bool

    init(_ model: SampleLayout.Model) {
        self.model = model
        colours = PNGColours(channels: model.channels)
        isOpaque = model.hasAlpha
    }

    /// Whether the pixels are best written as they are.
    var isDecided: Bool { colours == nil && !isOpaque }

    /// Heeds the next row.
    mutating func look(at row: Span<UInt8>) {
        unsafe row.withUnsafeBufferPointer { unsafe rows.append(contentsOf: $0) }
        if let colours, !colours.count(row) { self.colours = nil }
        if isOpaque { isOpaque = Self.isOpaque(row, channels: model.channels) }
        guard rows.count > Self.mostBytes else { return }
        colours = nil
        isOpaque = false
    }

    /// The form for a picture of `size`, of which all rows were held.
    func form(of size: PixelSize) -> PNGForm {
        if let colours, let form = PNGForm(colours.all, of: model, pixels: size.pixelCount) { return form }
        return PNGForm(isOpaque ? model.opaque : model)
    }

    /// Hands the rows, of `rowBytes` bytes each, to `writer` in `form`.
    func giveRows(_ rowBytes: Int, as form: PNGForm, to writer: PNGWriter) throws(CalotypeError) {
        for start in stride(from: 0, to: rows.count, by: rowBytes) {
            let row = rows.span.extracting(start..<start + rowBytes)
            if let colours, !form.values.isEmpty {
                try writer.write(colours.packed(row, form.values, depth: form.depth).span)
            } else if form.colour.samples < model.channels {
                try writer.write(Self.withoutAlpha(row, channels: model.channels).span)
            } else {
                try writer.write(row)
            }
        }
    }

    private static func isOpaque(_ row: Span<UInt8>, channels: Int) -> Bool {
        for index in stride(from: channels - 1, to: row.count, by: channels) where row[index] != 255 {
            return false
        }
        return true
    }

    private static func withoutAlpha(_ row: Span<UInt8>, channels: Int) -> [UInt8] {
        var opaque: [UInt8] = []
        opaque.reserveCapacity(row.count)
        for index in row.indices where index % channels != channels - 1 { opaque.append(row[index]) }
        return opaque
    }
}

extension SampleLayout.Model {
    /// The model without its alpha.
    fileprivate var opaque: Self {
        switch self {
        case .greyAlpha: .grey
        case .rgba: .rgb
        default: self
        }
    }
}
