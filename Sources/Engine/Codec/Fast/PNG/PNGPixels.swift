import CalotypeCore

/// How the pixels of a PNG are stored (PNG specification, third edition, 11.2.1).
struct PNGPixels: Hashable {
    /// The colour types.
    enum Colour: Int {
        case grey = 0
        case rgb = 2
        case palette = 3
        case greyAlpha = 4
        case rgba = 6

        /// The stored samples of a pixel.
        var samples: Int {
            switch self {
            case .grey, .palette: 1
            case .greyAlpha: 2
            case .rgb: 3
            case .rgba: 4
            }
        }
    }

    let size: PixelSize
    let colour: Colour
    /// Bits a stored sample: 1, 2, 4 or 8.
    let depth: Int
    /// The content of PLTE, three bytes a colour; empty where the pixels need none.
    var palette: [UInt8] = []
    /// The content of tRNS: the alphas of the palette's colours, or the one grey or colour that is transparent.
    var transparency: [UInt8] = []

    /// What the samples of the decoded rows mean.
    var model: SampleLayout.Model {
        switch colour {
        case .grey: transparency.isEmpty ? .grey : .greyAlpha
        case .greyAlpha: .greyAlpha
        case .rgb, .palette: transparency.isEmpty ? .rgb : .rgba
        case .rgba: .rgba
        }
    }

    /// What each stored sample stands for, four bytes for each of 256, the pixel's channels first; empty where rows are
    /// given out as they are stored, or with a transparent colour.
    var lookup: [UInt8] {
        switch colour {
        case .palette: paletteLookup
        case .grey where depth < 8 || !transparency.isEmpty: greyLookup
        default: []
        }
    }

    /// The stored red, green and blue that are transparent, where that is so.
    var key: (UInt8, UInt8, UInt8)? {
        // Of the two bytes of a sample, the first is for pictures of 16 bits.
        guard colour == .rgb, transparency.count == 6 else { return nil }
        return (transparency[1], transparency[3], transparency[5])
    }

    /// Colours that the palette does not have are black, as they are in libpng.
    private var paletteLookup: [UInt8] {
        var entries: [UInt8] = []
        for index in 0..<256 {
            let colour = index * 3 + 3 <= palette.count ? palette[index * 3..<index * 3 + 3] : [0, 0, 0]
            entries += colour + [index < transparency.count ? transparency[index] : 255]
        }
        return entries
    }

    private var greyLookup: [UInt8] {
        let most = (1 << depth) - 1
        let clear = transparency.count == 2 ? Int(transparency[1]) & most : -1
        return (0..<256).flatMap { sample in
            [UInt8(truncatingIfNeeded: sample * 255 / most), sample == clear ? 0 : 255, 0, 0] as [UInt8]
        }
    }
}
