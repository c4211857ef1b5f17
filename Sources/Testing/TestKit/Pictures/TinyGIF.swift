import CalotypeCore

/// A GIF of one colour (GIF89a specification), its codes kept at three bits by clearing the table before each two pixels.
enum TinyGIF {
    static func encoded(_ size: PixelSize, _ colour: TinyPicture.Colour) -> [UInt8] {
        let screen = Array("GIF89a".utf8) + .little(size.width, 2) + .little(size.height, 2) + [0x80, 0, 0]
        let table = [colour.red, colour.green, colour.blue, 0, 0, 0]
        let frame = [0x2C] + .little(0, 4) + .little(size.width, 2) + .little(size.height, 2) + [0] as [UInt8]
        return screen + table + frame + data(size.pixelCount) + [0x3B]
    }

    private static func data(_ pixels: Int) -> [UInt8] {
        let (clear, end, codeSize) = (4, 5, 3)
        var bits = BitWriter(.lowestFirst)
        for pixel in 0..<pixels {
            if pixel % 2 == 0 { bits.write(clear, codeSize) }
            bits.write(0, codeSize)
        }
        bits.write(end, codeSize)
        let blocks = bits.bytes.runs(of: 255).flatMap { [UInt8($0.count)] + $0 }
        return [2] + blocks + [0]
    }
}
