import CalotypeCPictures
import CalotypeCore

/// Holds the first rows of a picture until it is known how to store it best.
///
/// It holds all rows, up to a limit, while the picture has few colours or its alpha is opaque.
struct PNGScout {
    /// The maximum number of bytes of held rows.
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

    /// Examines the next row.
    mutating func look(at row: Span<UInt8>) {
        unsafe row.withUnsafeBufferPointer { unsafe rows.append(contentsOf: $0) }
        if let colours, !colours.count(row) { self.colours = nil }
        if isOpaque { isOpaque = Self.isOpaque(row, channels: model.channels) }
        guard rows.count > Self.mostBytes else { return }
        colours = nil
        isOpaque = false
    }

    /// The form for a picture of `size` whose rows were all held.
    func form(of size: PixelSize) -> PNGForm {
        if let colours, let form = PNGForm(colours.all, of: model, pixels: size.pixelCount) { return form }
        return PNGForm(isOpaque ? model.opaque : model)
    }

    /// Passes the rows, of `rowBytes` bytes each, to `writer` in `form`.
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

/// The colours of a picture, while there are no more than fit in a palette.
// SAFETY: the pointer is valid from init to deinit and never leaves this type.
@safe
final class PNGColours {
    private let pointer: OpaquePointer
    private let channels: Int

    /// Starts counting pixels of `channels` bytes; `nil` if memory runs out.
    init?(channels: Int) {
        guard let pointer = unsafe cpng_colours_make(UInt32(channels)) else { return nil }
        unsafe self.pointer = pointer
        self.channels = channels
    }

    deinit {
        unsafe cpng_colours_free(pointer)
    }

    /// The colours in the order of their first appearance, with the channels that were counted.
    var all: [[UInt8]] {
        let number = unsafe cpng_colours_number(pointer)
        return (0..<number).map { index in
            unsafe Array(UnsafeBufferPointer(start: cpng_colours_colour(pointer, index), count: channels))
        }
    }

    /// Counts the colours of `row`.
    ///
    /// - Returns: `false` if there are too many.
    func count(_ row: Span<UInt8>) -> Bool {
        unsafe row.withUnsafeBufferPointer { row in
            unsafe cpng_colours_count(pointer, row.baseAddress, row.count / channels)
        }
    }

    /// Returns `row` with `values[i]`, of `depth` bits, in place of colour `i`.
    func packed(_ row: Span<UInt8>, _ values: [UInt8], depth: Int) -> [UInt8] {
        let width = row.count / channels
        return unsafe [UInt8](unsafeUninitializedCapacity: (width * depth + 7) / 8) { out, count in
            unsafe row.withUnsafeBufferPointer { row in
                unsafe cpng_colours_pack(
                    pointer,
                    row.baseAddress,
                    width,
                    values,
                    UInt32(depth),
                    out.baseAddress
                )
            }
            count = (width * depth + 7) / 8
        }
    }
}

/// How the pixels of a PNG are written.
struct PNGForm {
    var colour: PNGPixels.Colour
    /// Bits per sample: 1, 2, 4 or 8.
    var depth = 8
    /// The palette, with red, green, blue and alpha per colour; colours that are not opaque come first.
    var palette: [[UInt8]] = []
    /// The value to write for each counted colour; empty if the pixels are written as they are.
    var values: [UInt8] = []

    /// The form that writes pixels as they are.
    init(_ model: SampleLayout.Model) {
        colour =
            switch model {
            case .grey: .grey
            case .greyAlpha: .greyAlpha
            case .rgb, .videoYCbCr: .rgb
            case .rgba: .rgba
            }
    }

    /// The bits of a pixel.
    var pixelBits: Int { depth * colour.samples }

    /// Whether neighbouring values are similar as numbers.
    var isFiltered: Bool { depth == 8 && colour != .palette }

    /// The form for `colours`, from a picture of `pixels` pixels of `model`; `nil` if it is best as it is.
    init?(_ colours: [[UInt8]], of model: SampleLayout.Model, pixels: Int) {
        self.init(model)
        let channels = model.channels - (model.hasAlpha ? 1 : 0)
        let isOpaque = !model.hasAlpha || colours.allSatisfy { $0[channels] == 255 }
        let isGrey = colours.allSatisfy { colour in colour.prefix(channels).allSatisfy { $0 == colour[0] } }
        if isOpaque, isGrey {
            self.init(greys: colours.map { $0[0] })
        } else if channels == 3, pixels >= colours.count * Self.pixelsPerColour {
            self.init(colours: isOpaque ? colours.map { $0.prefix(3) + [255] } : colours)
        } else {
            return nil
        }
    }

    /// With fewer pixels per colour, the palette takes more than it saves.
    private static let pixelsPerColour = 4

    private init(greys: [UInt8]) {
        colour = .grey
        depth =
            [1, 2, 4, 8].first { depth in greys.allSatisfy { Int($0) % (255 / (1 << depth - 1)) == 0 } } ?? 8
        let step = 255 / (1 << depth - 1)
        values = greys.map { UInt8(Int($0) / step) }
    }

    private init(colours: [[UInt8]]) {
        colour = .palette
        depth = [1, 2, 4, 8].first { colours.count <= 1 << $0 } ?? 8
        let order =
            colours.indices.filter { colours[$0][3] < 255 } + colours.indices.filter { colours[$0][3] == 255 }
        palette = order.map { colours[$0] }
        values = [UInt8](repeating: 0, count: colours.count)
        for (place, index) in order.enumerated() { values[index] = UInt8(place) }
    }
}
