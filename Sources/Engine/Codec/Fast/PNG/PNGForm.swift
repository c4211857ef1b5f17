/// How the pixels of a PNG are written.
struct PNGForm {
    var colour: PNGPixels.Colour
    /// Bits a sample: 1, 2, 4 or 8.
    var depth = 8
    /// The palette, each colour of red, green, blue and alpha; those that are not opaque come first.
    var palette: [[UInt8]] = []
    /// What each colour that was counted is written as; empty where the pixels are written as they are.
    var values: [UInt8] = []

    /// Pixels as they are.
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

    /// Whether neighbours are alike as numbers.
    var isFiltered: Bool { depth == 8 && colour != .palette }

    /// The form for `colours`, which are of a picture of `pixels` pixels of `model`; `nil` where it is best as it is.
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

    /// With fewer pixels a colour, the palette takes more than it saves.
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
