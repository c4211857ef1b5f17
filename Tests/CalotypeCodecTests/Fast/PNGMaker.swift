import CalotypeCore
import TaskFlow

/// Makes PNG files (third edition of the specification) sample by sample, for what no encoder makes.
struct PNGMaker {
    var width: Int
    var height: Int
    var colour: Int
    var depth = 8
    /// The filter of each row, repeated from the first.
    var filters = [0]
    /// PLTE and tRNS; none where empty.
    var palette: [UInt8] = []
    var transparency: [UInt8] = []
    /// The lengths of the IDAT chunks, repeated; one chunk of all where empty.
    var pieces: [Int] = []
    /// Chunks between the header and the rest.
    var before: [(kind: String, content: [UInt8])] = []
    var samples: [Int]

    /// A picture of random samples, the same for the same seed.
    init(_ width: Int, _ height: Int, colour: Int, depth: Int = 8, seed: UInt64 = 1, most: Int? = nil) {
        (self.width, self.height, self.colour, self.depth) = (width, height, colour, depth)
        var random = SplitMix64(seed: seed)
        let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colour] ?? 1
        let range = 0...(most ?? (1 << depth) - 1)
        samples = (0..<width * height * channels).map { _ in .random(in: range, using: &random) }
    }

    /// The file.
    var png: [UInt8] { head + data + HandMade.pngEnd }

    /// The file up to its picture data.
    var head: [UInt8] {
        let header = HandMade.big(width, 4) + HandMade.big(height, 4)
        var png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        png += HandMade.chunk("IHDR", header + [UInt8(depth), UInt8(colour), 0, 0, 0])
        for chunk in before { png += HandMade.chunk(chunk.kind, chunk.content) }
        if !palette.isEmpty { png += HandMade.chunk("PLTE", palette) }
        if !transparency.isEmpty { png += HandMade.chunk("tRNS", transparency) }
        return png
    }

    /// The filtered rows, each with its filter before it.
    var filtered: [UInt8] {
        let rows = packedRows
        let pixel = max(1, rows[0].count / width)
        var all: [UInt8] = []
        var above = [UInt8](repeating: 0, count: rows[0].count)
        for (index, row) in rows.enumerated() {
            let filter = filters[index % filters.count]
            all.append(UInt8(filter))
            for i in row.indices {
                let left = i < pixel ? 0 : Int(row[i - pixel])
                let corner = i < pixel ? 0 : Int(above[i - pixel])
                let guess = [0, left, Int(above[i]), (left + Int(above[i])) / 2, 0]
                let guessed = filter == 4 ? Self.paeth(left, Int(above[i]), corner) : guess[min(filter, 4)]
                all.append(row[i] &- UInt8(guessed))
            }
            above = row
        }
        return all
    }

    private var data: [UInt8] {
        let stream = HandMade.stored(filtered)
        guard !pieces.isEmpty else { return HandMade.chunk("IDAT", stream) }
        var chunks: [UInt8] = []
        var (offset, piece) = (0, 0)
        while offset < stream.count {
            let end = min(stream.count, offset + pieces[piece % pieces.count])
            chunks += HandMade.chunk("IDAT", Array(stream[offset..<end]))
            (offset, piece) = (end, piece + 1)
        }
        return chunks
    }

    private var packedRows: [[UInt8]] {
        let perRow = samples.count / height
        return (0..<height).map { y in
            var bits = ""
            let row = samples[y * perRow..<(y + 1) * perRow]
            guard depth < 16 else { return row.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } }
            guard depth < 8 else { return row.map { UInt8($0) } }
            for sample in row {
                let digits = String(sample, radix: 2)
                bits += String(repeating: "0", count: depth - digits.count) + digits
            }
            bits += String(repeating: "0", count: (8 - bits.count % 8) % 8)
            return stride(from: 0, to: bits.count, by: 8).map { start in
                UInt8(bits.dropFirst(start).prefix(8), radix: 2) ?? 0
            }
        }
    }

    /// The predictor as the specification words it.
    private static func paeth(_ a: Int, _ b: Int, _ c: Int) -> Int {
        let p = a + b - c
        let (pa, pb, pc) = (abs(p - a), abs(p - b), abs(p - c))
        return pa <= pb && pa <= pc ? a : pb <= pc ? b : c
    }
}
