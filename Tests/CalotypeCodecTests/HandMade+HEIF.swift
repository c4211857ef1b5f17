// HEIF files (ISO/IEC 23008-12) with a property that no encoder at hand writes.
extension HandMade {
    /// An AVIF or HEIC as our encoder writes it, of which the picture is turned by `quarters` counter-clockwise.
    static func heif(_ file: [UInt8], turnedBy quarters: UInt8) -> [UInt8] {
        let property = big(9, 4) + Array("irot".utf8) + [quarters]
        var file = file
        // The property itself, and one byte more among the picture's uses of properties.
        let growth = property.count + 1
        moveData(in: &file, by: growth)
        let list = position("ipma", in: file)
        let listEnd = list + number(file, list, 4)
        let place = UInt8(boxCount("ipco", in: file) + 1)
        for (kind, own) in [("meta", growth), ("iprp", growth), ("ipco", property.count), ("ipma", 1)] {
            let start = position(kind, in: file)
            write(number(file, start, 4) + own, &file, start)
        }
        // The picture is the last item in the list; its parts, if it is a grid, come first.
        file[lastUseCount(in: file, list)] += 1
        file.insert(0x80 | place, at: listEnd)
        file.insert(contentsOf: property, at: list)
        return file
    }

    /// Where the box of `kind` begins.
    private static func position(_ kind: String, in file: [UInt8]) -> Int {
        let name = Array(kind.utf8)
        return file.indices.first { file[$0...].starts(with: name) }.map { $0 - 4 } ?? 0
    }

    private static func number(_ file: [UInt8], _ offset: Int, _ length: Int) -> Int {
        file[offset..<offset + length].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func write(_ value: Int, _ file: inout [UInt8], _ offset: Int) {
        file.replaceSubrange(offset..<offset + 4, with: big(value, 4))
    }

    private static func boxCount(_ kind: String, in file: [UInt8]) -> Int {
        let start = position(kind, in: file)
        var offset = start + 8
        var count = 0
        while offset < start + number(file, start, 4) {
            offset += number(file, offset, 4)
            count += 1
        }
        return count
    }

    /// Where the last item in the property uses at `list` counts them.
    private static func lastUseCount(in file: [UInt8], _ list: Int) -> Int {
        var offset = list + 18
        for _ in 1..<number(file, list + 12, 4) { offset += 3 + Int(file[offset]) }
        return offset
    }

    /// Adds `growth` to where the item locations say that data in the file begin.
    private static func moveData(in file: inout [UInt8], by growth: Int) {
        let start = position("iloc", in: file)
        let hasMethod = file[start + 8] == 1
        var offset = start + 16
        for _ in 0..<number(file, start + 14, 2) {
            let isInFile = !hasMethod || number(file, offset + 2, 2) == 0
            let base = offset + (hasMethod ? 6 : 4)
            if isInFile { write(number(file, base, 4) + growth, &file, base) }
            offset = base + 6 + 8 * number(file, base + 4, 2)
        }
    }
}
