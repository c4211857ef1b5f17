import CalotypePlatform

/// Reads drawings from text: paragraphs of a name and, back to front, a line for each layer.
///
/// A layer is a tone, perhaps with an opacity (`soft:.6`), and one or more shapes, which it joins. A shape is a
/// word and its numbers:
///
///     disc X Y RADIUS                  ring X Y RADIUS WIDTH        box X Y HALF-WIDTH HALF-HEIGHT CORNER
///     line X Y X Y WIDTH               path WIDTH X Y X Y …         polygon CORNER X Y X Y …
///     tear X Y RADIUS TIP-X TIP-Y      lens X Y X Y BULGE           ellipse X Y HALF-WIDTH HALF-HEIGHT TURN
///     star X Y RADIUS                  arc X Y RADIUS WIDTH SHARE
///     area LEFT TOP WIDTH HEIGHT CORNER                 bar LEFT TOP WIDTH HEIGHT
///
/// Four words combine shapes: `within A B` is what lies in both, `without A B` what lies in A alone, `( A B … )`
/// what lies in any of them, and `turn COUNT ANGLE LINE` is a line repeated evenly around the middle of the unit
/// square.
struct GlyphText {
    private var words: ArraySlice<Substring>

    /// The drawings of `text` by their names.
    static func drawings(of text: String) -> [String: [AppGlyphLayer]] {
        let paragraphs = text.split(separator: "\n\n").map { $0.split(separator: "\n") }
        return Dictionary(
            uniqueKeysWithValues: paragraphs.map { lines in (String(lines[0]), lines.dropFirst().map(layer)) }
        )
    }

    private static func layer(_ line: Substring) -> AppGlyphLayer {
        var reader = GlyphText(words: line.split(separator: " ")[...])
        let tone = reader.words.removeFirst().split(separator: ":")
        guard let name = AppGlyphLayer.Tone(rawValue: String(tone[0])) else { fail(line) }
        let opacity = tone.count > 1 ? Float(tone[1]) ?? 1 : 1
        return AppGlyphLayer(shape: shape(of: reader.words), tone: name, opacity: opacity)
    }

    /// The shapes that `words` say, joined.
    static func shape(of words: ArraySlice<Substring>) -> Outline {
        var reader = GlyphText(words: words)
        var shapes: [Outline] = []
        while !reader.words.isEmpty { shapes.append(reader.shape()) }
        return .joined(shapes)
    }

    private mutating func shape() -> Outline {
        let word = words.removeFirst()
        switch word {
        case "within": return .within(shape(), shape())
        case "without": return .without(shape(), shape())
        case "(":
            var shapes: [Outline] = []
            while words.first != ")" { shapes.append(shape()) }
            words.removeFirst()
            return .joined(shapes)
        default: break
        }
        let n = numbers()
        switch word {
        case "turn":
            let one = shape()
            return .joined(
                (0..<Int(n[0])).map { one.turned(by: 2 * .pi * Float($0) / n[0] + n[1]) }
            )
        case "disc": return .disc(n[0], n[1], radius: n[2])
        case "ring": return .ring(n[0], n[1], radius: n[2], width: n[3])
        case "box": return .box(n[0], n[1], n[2], n[3], corner: n[4])
        case "line": return .line(n[0], n[1], n[2], n[3], width: n[4])
        case "path": return .path(Self.points(n.dropFirst()), width: n[0])
        case "polygon": return .polygon(Self.points(n.dropFirst()), corner: n[0])
        case "tear": return .tear(n[0], n[1], radius: n[2], tip: n[3], n[4])
        case "lens": return .lens(n[0], n[1], n[2], n[3], bulge: n[4])
        case "ellipse": return .ellipse(n[0], n[1], SIMD2(n[2], n[3]), turn: n[4])
        case "star": return .star(n[0], n[1], n[2])
        case "arc": return .arc(n[0], n[1], radius: n[2], width: n[3], share: n[4])
        case "area": return .box(n[0] + n[2] / 2, n[1] + n[3] / 2, n[2] / 2, n[3] / 2, corner: n[4])
        case "bar": return .box(n[0] + n[2] / 2, n[1] + n[3] / 2, n[2] / 2, n[3] / 2, corner: n[3] / 2)
        default: Self.fail(word)
        }
    }

    private mutating func numbers() -> [Float] {
        var numbers: [Float] = []
        while let number = words.first.flatMap({ Float($0) }) {
            numbers.append(number)
            words.removeFirst()
        }
        return numbers
    }

    private static func points(_ numbers: ArraySlice<Float>) -> [SIMD2<Float>] {
        stride(from: numbers.startIndex, to: numbers.endIndex - 1, by: 2).map {
            SIMD2(numbers[$0], numbers[$0 + 1])
        }
    }

    private static func fail(_ text: Substring) -> Never {
        preconditionFailure("a drawing says \(text)")
    }
}

extension Outline {
    /// A line turned around the middle of the unit square; other shapes stay as they are.
    fileprivate func turned(by angle: Float) -> Outline {
        guard case .line(let x1, let y1, let x2, let y2, let width) = self else { return self }
        let (across, down) = (cosf(angle), sinf(angle))
        let (from, to) = (SIMD2(x1, y1) - 0.5, SIMD2(x2, y2) - 0.5)
        return .line(
            0.5 + from.x * across - from.y * down,
            0.5 + from.x * down + from.y * across,
            0.5 + to.x * across - to.y * down,
            0.5 + to.x * down + to.y * across,
            width: width
        )
    }
}
