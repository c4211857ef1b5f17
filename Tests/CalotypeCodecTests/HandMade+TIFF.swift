/// The contents of a field of a TIFF.
enum TIFFField {
    case shorts([Int])
    case longs([Int])
    case bytes([UInt8])
}

// TIFFs (TIFF 6.0) of kinds that no encoder at hand makes.
extension HandMade {
    /// A little-endian TIFF of one strip: its data, then its directories, which are equal, then their long fields.
    ///
    /// `fields` are by their tags, in addition to or instead of those that every picture needs; after the last of `pages`
    /// comes the one that `loop` counts, from 0 on.
    static func tiff(
        width: Int,
        height: Int,
        fields: [Int: TIFFField],
        pages: Int = 1,
        loop: Int? = nil,
        data: [UInt8]
    ) -> [UInt8] {
        let common: [Int: TIFFField] = [
            256: .longs([width]), 257: .longs([height]), 259: .shorts([1]), 273: .longs([8]),
            278: .longs([height]), 279: .longs([data.count]),
        ]
        let entries = common.merging(fields) { _, own in own }.sorted { $0.key < $1.key }
        let directory = 8 + data.count + data.count % 2
        let length = 2 + 12 * entries.count + 4
        var (table, contents): ([UInt8], [UInt8]) = ([], [])
        for (tag, field) in entries {
            table += little(tag, 2) + little(field.type, 2) + little(field.count, 4)
            let start = directory + pages * length + contents.count
            if field.contents.count > 4 {
                table += little(start, 4)
                contents += field.contents
            } else {
                table += Array((field.contents + [0, 0, 0]).prefix(4))
            }
        }
        var file =
            Array("II*\0".utf8) + little(directory, 4) + data + [UInt8](repeating: 0, count: data.count % 2)
        for page in 0..<pages {
            let next = page + 1 < pages ? page + 1 : loop
            file += little(entries.count, 2) + table + little(next.map { directory + $0 * length } ?? 0, 4)
        }
        return file + contents
    }

    /// A TIFF of 40 by 40 equal pixels.
    ///
    /// - Parameters:
    ///   - pixel: The bytes of a pixel.
    ///   - bits: Of each of its samples.
    ///   - kind: 1 for samples without a sign, 2 for some with one, 3 for floats.
    ///   - model: 1 for grey, 2 for colours, 3 for a palette, 5 for inks, 8 for Lab.
    ///   - extra: 1 for alpha that the colours are multiplied by, 2 for other alpha.
    ///   - profile: An ICC profile.
    /// - Returns: the file.
    static func flatTIFF(
        _ pixel: [UInt8],
        bits: Int,
        kind: Int = 1,
        model: Int = 2,
        extra: Int? = nil,
        profile: [UInt8]? = nil
    ) -> [UInt8] {
        let samples = pixel.count * 8 / bits
        var fields: [Int: TIFFField] = [
            258: .shorts([Int](repeating: bits, count: samples)), 262: .shorts([model]),
            277: .shorts([samples]),
            339: .shorts([Int](repeating: kind, count: samples)),
        ]
        if let extra { fields[338] = .shorts([extra]) }
        if let profile { fields[34_675] = .bytes(profile) }
        let data = Array(repeatElement(pixel, count: 40 * 40).joined())
        return tiff(width: 40, height: 40, fields: fields, data: data)
    }

    /// The bytes of `samples`, as floats.
    static func floats(_ samples: Float...) -> [UInt8] {
        samples.flatMap { little(Int($0.bitPattern), 4) }
    }

    /// The bytes of `samples`, each in `length` bytes.
    static func integers(_ length: Int, _ samples: Int...) -> [UInt8] {
        samples.flatMap { little($0, length) }
    }
}

extension TIFFField {
    fileprivate var type: Int {
        switch self {
        case .shorts: 3
        case .longs: 4
        case .bytes: 7
        }
    }

    fileprivate var count: Int {
        switch self {
        case .shorts(let values), .longs(let values): values.count
        case .bytes(let bytes): bytes.count
        }
    }

    fileprivate var contents: [UInt8] {
        switch self {
        case .shorts(let values): values.flatMap { HandMade.little($0, 2) }
        case .longs(let values): values.flatMap { HandMade.little($0, 4) }
        case .bytes(let bytes): bytes
        }
    }
}
