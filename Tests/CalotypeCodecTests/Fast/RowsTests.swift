import CalotypeCore
import Testing

@testable import CalotypeCodec

struct RowsTests {
    /// The pixels of a 3x2 picture, numbered as they are stored, for each orientation row by row as they are seen.
    private static let upright: [Int: [[UInt8]]] = [
        1: [[0, 1, 2], [3, 4, 5]],
        2: [[2, 1, 0], [5, 4, 3]],
        3: [[5, 4, 3], [2, 1, 0]],
        4: [[3, 4, 5], [0, 1, 2]],
        5: [[0, 3], [1, 4], [2, 5]],
        6: [[3, 0], [4, 1], [5, 2]],
        7: [[5, 2], [4, 1], [3, 0]],
        8: [[2, 5], [1, 4], [0, 3]],
    ]

    @Test(arguments: 1...8, 1...4)
    func `rows are turned as the EXIF orientation says, whole pixels at a time`(
        _ orientation: Int,
        _ channels: Int
    ) throws {
        let stored = PixelSize(width: 3, height: 2)
        var turned = TurnedRows(stored, orientation: orientation, channels: channels)
        for row in [[0, 1, 2], [3, 4, 5]] as [[UInt8]] { turned.append(pixels(row, channels).span) }
        var rows: [[UInt8]] = []
        turned.forEachRow { rows.append(copy($0)) }
        let wanted = try #require(Self.upright[orientation])
        #expect(rows == wanted.map { pixels($0, channels) })
        #expect(turned.size == PixelSize(width: wanted[0].count, height: wanted.count))
    }

    @Test(
        arguments: [
            (.grey, [7, 9], [7, 7, 7, 255, 9, 9, 9, 255]),
            (.greyAlpha, [7, 0, 9, 200], [7, 7, 7, 0, 9, 9, 9, 200]),
            (.rgb, [1, 2, 3, 4, 5, 6], [1, 2, 3, 255, 4, 5, 6, 255]),
            (.rgba, [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8]),
        ] as [(SampleLayout.Model, [UInt8], [UInt8])]
    )
    func `rows become pixels of four samples`(
        _ model: SampleLayout.Model,
        _ row: [UInt8],
        _ pixels: [UInt8]
    ) {
        let rows = BitmapRows(PixelSize(width: 2, height: 2), model)
        rows.write(row.span)
        rows.write(row.span)
        #expect(rows.bitmap().rgba == pixels + pixels)
    }

    @Test func `what is transparent lies on a colour`() {
        var ground = Ground(.white, width: 3, .rgba)
        let row: [UInt8] = [10, 20, 30, 255, 10, 20, 30, 0, 0, 100, 200, 128]
        #expect(ground.laid(row.span) == [10, 20, 30, 255, 255, 255, 127, 177, 227])
        var grey = Ground(.white, width: 2, .greyAlpha)
        #expect(grey.model == .grey)
        #expect(grey.laid(([0, 51, 255, 1] as [UInt8]).span) == [204, 255])
        var spread = Ground(Colour(red: 200, green: 0, blue: 100), width: 2, .greyAlpha)
        #expect(spread.model == .rgb)
        #expect(spread.laid(([10, 255, 10, 0] as [UInt8]).span) == [10, 10, 10, 200, 0, 100])
    }

    private func pixels(_ numbers: [UInt8], _ channels: Int) -> [UInt8] {
        numbers.flatMap { number in (0..<channels).map { 10 * number + UInt8($0) } }
    }

    private func copy(_ row: Span<UInt8>) -> [UInt8] {
        unsafe row.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
