/// Style sheets and attributes of drawings, as far as they refer to something (CSS Values and Units 4, 4.5).
enum SVGStyle {
    /// Functions that take a reference without `url`.
    private static let loaders = ["image-set(", "image(", "src(", "expression("].map { Array($0.utf8) }
    private static let reference = Array("url(".utf8)
    private static let statement = Array("@import".utf8)

    /// Returns `css` without references, except those to parts of the drawing and to pictures in it.
    ///
    /// Returns nothing if something in it may hide a reference, such as an escape.
    static func local(_ css: String) -> String {
        let bytes = Array(css.utf8)
        guard
            bytes.contains(where: {
                $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "\\")
            })
        else { return css }
        let low = bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard !low.contains(UInt8(ascii: "\\")), !loaders.contains(where: { low.firstRange(of: $0) != nil })
        else {
            return ""
        }
        var kept: [UInt8] = []
        var place = 0
        while place < low.count {
            let rest = low[place...]
            if rest.starts(with: statement) {
                // The text before and after it must not join to form another statement.
                kept.append(UInt8(ascii: " "))
                place = rest.firstIndex(of: UInt8(ascii: ";")).map { $0 + 1 } ?? low.count
            } else if rest.starts(with: reference) {
                let end = rest.firstIndex(of: UInt8(ascii: ")")).map { $0 + 1 } ?? low.count
                let target = String(decoding: bytes[place + reference.count..<end], as: UTF8.self)
                kept += isInside(target) ? Array(bytes[place..<end]) : Array("none".utf8)
                place = end
            } else {
                kept.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Whether `reference` is a picture of pixels that is part of the document.
    static func isPicture(_ reference: String) -> Bool {
        let start = reference.prefix(64).lowercased()
        return ["png", "jpeg", "jpg", "gif", "webp", "avif"].contains {
            start.hasPrefix("data:image/\($0);base64,")
        }
    }

    /// Whether `target`, what follows `url(`, is a part of the drawing or a picture in it.
    private static func isInside(_ target: String) -> Bool {
        let marks: Set<Character> = ["\"", "'", " ", "\t", "\r", "\n", "\r\n", "\u{C}"]
        var name = target.drop(while: marks.contains)
        if name.last == ")" { name.removeLast() }
        while let last = name.last, marks.contains(last) { name.removeLast() }
        // If this was part of a string, what follows the string's end could be another reference.
        guard !name.contains(where: { marks.contains($0) || $0 == "(" }) else { return false }
        return name.hasPrefix("#") || isPicture(String(name))
    }
}
