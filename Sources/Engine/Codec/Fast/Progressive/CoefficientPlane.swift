/// The coefficients of a component: of each block the first, a mask of the others, and those that are not zero.
///
/// They are numbered in zigzag order. What libjpeg holds takes 128 bytes a block; of this, a photograph takes
/// about a third.
struct CoefficientPlane {
    /// The blocks of a row, and their rows.
    let (across, down): (Int, Int)
    /// Whether only the first coefficients are held.
    let isFlat: Bool

    /// The first coefficient of each block.
    var first: [Int16]
    /// For each block the numbers of the other coefficients that are not zero; empty if they are not held.
    var masks: [UInt64]
    /// For each row of blocks the values that belong to its masks.
    var rows: [[Int16]]
    /// Whether damaged data has set coefficients that no encoder sets, so that shortcuts do not hold.
    var isIrregular = false

    init(across: Int, down: Int, isFlat: Bool) {
        (self.across, self.down, self.isFlat) = (across, down, isFlat)
        first = [Int16](repeating: 0, count: across * down)
        masks = [UInt64](repeating: 0, count: isFlat ? 0 : across * down)
        rows = [[Int16]](repeating: [], count: isFlat ? 0 : down)
    }

    /// Writes the blocks of `row` to `blocks`, 64 coefficients each, in natural order.
    ///
    /// Coefficients that are not held stay unchanged.
    func write(row: Int, to blocks: inout MutableSpan<Int16>) {
        let first = first.span.extracting(row * across..<(row + 1) * across)
        guard !isFlat else {
            for column in 0..<across { blocks[column &* 64] = first[column] }
            return
        }
        let masks = masks.span.extracting(row * across..<(row + 1) * across)
        let line = rows[row]
        let values = line.span
        let order = Self.naturalOrder.span
        var next = 0
        for i in blocks.indices { blocks[i] = 0 }
        for column in 0..<across {
            let block = column &* 64
            blocks[block] = first[column]
            var mask = masks[column]
            while mask != 0 {
                let number = order[mask.trailingZeroBitCount]
                blocks[block &+ Int(number)] = values[next]
                next &+= 1
                mask &= mask &- 1
            }
        }
    }

    private static let naturalOrder: [UInt8] = [
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
        12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
        35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
        58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
    ]
}
