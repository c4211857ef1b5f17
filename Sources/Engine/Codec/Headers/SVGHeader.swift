import CalotypeCore

/// Reads the first tag of a drawing (Scalable Vector Graphics 2).
enum SVGHeader {
    /// The declared size of a drawing, in pixels of CSS.
    struct Declared {
        let width: Double
        let height: Double

        /// Creates a size; sides outside of 0.01 to 10,000,000 count as the nearer of them.
        init(width: Double, height: Double) {
            self.width = min(max(width, 0.01), 1e7)
            self.height = min(max(height, 0.01), 1e7)
        }
    }

    /// The maximum length of what precedes the first tag.
    private static let longest = 64 << 10
    /// The longest side of a drawing's own size.
    ///
    /// What declares more is drawn smaller unless a size is requested.
    private static let longestSide = 4_096.0

    static func facts(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
        ImageFacts(
            format: .svg,
            storedSize: size(try declared(attributes(&reader))),
            needsWholePicture: true,
            hasAlpha: true
        )
    }

    /// Throws `outOfBytes` if the document is truncated.
    static func check(_ reader: inout ByteReader) throws(CodecError) {
        // What follows the last tag is hardly longer.
        let length = min(reader.count, longest)
        let end = try reader.bytes(reader.count - length, length).last { !PNMHeader.isSpace(Int($0)) }
        guard end == UInt8(ascii: ">") else { throw .outOfBytes }
    }

    /// The size of a drawing whose first tag has these `attributes`.
    ///
    /// It comes from the width and the height, or else from the view box, or else it is that of browsers.
    static func declared(_ attributes: [XMLScanner.Attribute]) -> Declared {
        func value(_ name: String) -> String { attributes.first { $0.name == name }?.value ?? "" }
        let box = viewBox(value("viewBox"))
        let (width, height) = (SVGLength.pixels(value("width")), SVGLength.pixels(value("height")))
        switch (width, height) {
        case (let width?, let height?): return Declared(width: width, height: height)
        case (let width?, nil):
            return Declared(width: width, height: box.map { width * $0.height / $0.width } ?? 150)
        case (nil, let height?):
            return Declared(width: box.map { height * $0.width / $0.height } ?? 300, height: height)
        case (nil, nil): return box ?? Declared(width: 300, height: 150)
        }
    }

    /// The attributes of the first tag.
    ///
    /// - Throws: `unsupported` if it is not that of a drawing; `outOfBytes` if it is incomplete.
    static func attributes(_ reader: inout ByteReader) throws(CodecError) -> [XMLScanner.Attribute] {
        var scanner = XMLScanner(try reader.bytes(0, min(reader.count, longest)))
        do throws(CodecError) {
            while let token = try scanner.next() {
                guard case .start(let name, let attributes, _) = token else { continue }
                if SVGNames.local(name) == "svg" { return attributes }
                throw .unsupported(name.lowercased() == "html" ? "an HTML page" : "an XML document")
            }
        } catch {
            switch error {
            case .outOfBytes where reader.count >= longest: throw .unsupported("an XML document")
            case .corrupt: throw .unsupported("an HTML page or damaged XML")
            default: throw error
            }
        }
        throw .outOfBytes
    }

    private static func size(_ declared: Declared) -> PixelSize {
        let factor = min(1, longestSide / max(declared.width, declared.height))
        func side(_ length: Double) -> Int { max(1, Int((length * factor).rounded())) }
        return PixelSize(width: side(declared.width), height: side(declared.height))
    }

    private static func viewBox(_ text: String) -> Declared? {
        let numbers = text.split { $0 == "," || $0.isWhitespace }.map { Double($0) ?? .nan }
        guard numbers.count == 4, numbers.allSatisfy(\.isFinite), numbers[2] > 0, numbers[3] > 0 else {
            return nil
        }
        return Declared(width: numbers[2], height: numbers[3])
    }
}

/// Lengths of drawings.
enum SVGLength {
    private static let units: [(String, Double)] = [
        ("px", 1), ("pt", 96.0 / 72), ("pc", 16), ("mm", 96 / 25.4), ("cm", 96 / 2.54), ("in", 96),
        ("em", 16),
        ("ex", 8), ("", 1),
    ]

    /// Returns `text` in pixels; `nil` if it is no length above 0, or depends on a window.
    static func pixels(_ text: String) -> Double? {
        let text = text.filter { !$0.isWhitespace }.lowercased()
        guard let (unit, factor) = units.first(where: { text.hasSuffix($0.0) }),
            let number = Double(text.dropLast(unit.count)), number.isFinite, number > 0
        else { return nil }
        return number * factor
    }
}

/// Names with and without a prefix.
enum SVGNames {
    /// Returns the name without the prefix of the SVG namespace; `nil` for another prefix.
    static func local(_ name: String) -> String? {
        guard let colon = name.firstIndex(of: ":") else { return name }
        return name[..<colon] == "svg" ? String(name[name.index(after: colon)...]) : nil
    }
}
