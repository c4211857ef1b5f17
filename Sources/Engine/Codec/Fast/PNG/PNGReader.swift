import CalotypeCPictures
import CalotypeCore

/// Turns the compressed data of one PNG into rows.
// SAFETY: the pointer is valid from init to deinit and never leaves this type; rows that are lent end with
// the closure.
@safe
final class PNGReader {
    private let pointer: OpaquePointer
    private let rowBytes: Int

    /// The result of a fill.
    enum Fill {
        /// All bytes were used, and more are needed for the next row.
        case hungry
        /// There are rows to take.
        case full
        /// The compressed data ends before the last row.
        case ended
        /// The compressed data makes no sense.
        case damaged
    }

    /// Creates a reader for rows of `pixels`.
    ///
    /// - Throws: `corrupt_image` if they are too wide for the memory.
    init(_ pixels: PNGPixels) throws(CalotypeError) {
        var rows = pixels.rows
        let lookup = pixels.lookup
        guard let pointer = unsafe cpng_reader_make(&rows, lookup.isEmpty ? nil : lookup) else {
            throw CalotypeError(
                .corruptImage,
                "not enough memory for rows of \(pixels.size.width) pixels",
                stage: .decode
            )
        }
        unsafe self.pointer = pointer
        rowBytes = pixels.size.width * pixels.model.channels
    }

    deinit {
        unsafe cpng_reader_free(pointer)
    }

    /// The bytes that a reader for rows of `pixels` holds.
    static func bytes(_ pixels: PNGPixels) -> Int {
        var rows = pixels.rows
        return unsafe Int(clamping: cpng_reader_bytes(&rows))
    }

    /// Takes compressed bytes while there is room for rows; sets `used` to their number.
    func fill(_ bytes: Span<UInt8>, used: inout Int) -> Fill {
        let fill = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe cpng_reader_fill(pointer, buffer.baseAddress, buffer.count, &used)
        }
        switch fill {
        case CPNG_HUNGRY: return .hungry
        case CPNG_FULL: return .full
        case CPNG_ENDED: return .ended
        default: return .damaged
        }
    }

    /// Passes the next row to `body`.
    ///
    /// - Returns: `false` if there is none yet.
    /// - Throws: `corrupt_image`; what `body` throws.
    func row(_ body: (Span<UInt8>) throws -> Void) throws -> Bool {
        var isUnknown = false
        guard let row = unsafe cpng_reader_row(pointer, &isUnknown) else {
            guard !isUnknown else {
                throw CalotypeError.damaged("PNG", "a row has an unknown filter")
            }
            return false
        }
        try unsafe body(UnsafeBufferPointer(start: row, count: rowBytes).span)
        return true
    }
}

extension PNGPixels {
    /// The pixels in the form that the C code needs.
    fileprivate var rows: CPNGRows {
        CPNGRows(
            width: UInt32(clamping: size.width),
            height: UInt32(clamping: size.height),
            depth: UInt8(depth),
            stored: UInt8(colour.samples),
            given: UInt8(model.channels),
            has_lookup: !lookup.isEmpty,
            has_key: key != nil,
            key: key ?? (0, 0, 0)
        )
    }
}

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
    /// Bits per stored sample: 1, 2, 4 or 8.
    let depth: Int
    /// The content of PLTE, three bytes per colour; empty if the pixels need none.
    var palette: [UInt8] = []
    /// The content of tRNS: the alphas of the palette's colours, or the single transparent grey or colour.
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

    /// The meaning of each stored sample: four bytes for each of 256 values, the pixel's channels first.
    ///
    /// Empty if rows are returned as they are stored, or with a transparent colour.
    var lookup: [UInt8] {
        switch colour {
        case .palette: paletteLookup
        case .grey where depth < 8 || !transparency.isEmpty: greyLookup
        default: []
        }
    }

    /// The stored red, green and blue of the transparent colour, if there is one.
    var key: (UInt8, UInt8, UInt8)? {
        // The first of a sample's two bytes is for pictures of 16 bits.
        guard colour == .rgb, transparency.count == 6 else { return nil }
        return (transparency[1], transparency[3], transparency[5])
    }

    /// The lookup for a palette; missing colours are black, as in libpng.
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
