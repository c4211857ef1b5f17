import CalotypeCore

/// A part of a canvas that is painted in widths of its own: x runs from 0 to 1, y from 0 to ``height``.
struct ScreenArea {
    let x: Float
    let y: Float
    let width: Float
    /// In widths.
    let height: Float

    /// A part of this area, in its widths.
    func part(_ x: Float, _ y: Float, _ width: Float, _ height: Float) -> ScreenArea {
        ScreenArea(
            x: self.x + x * self.width,
            y: self.y + y * self.width,
            width: width * self.width,
            height: height / width
        )
    }

    /// A box by its top left and its sides.
    func box(_ x: Float, _ y: Float, _ width: Float, _ height: Float, corner: Float = 0) -> Outline {
        .box(
            self.x + (x + width / 2) * self.width,
            self.y + (y + height / 2) * self.width,
            width / 2 * self.width,
            height / 2 * self.width,
            corner: corner * self.width
        )
    }

    func text(_ text: String, _ x: Float, _ y: Float, _ height: Float, weight: Float = 0.17) -> Outline {
        Lettering.outline(
            text,
            self.x + x * width,
            self.y + y * width,
            height: height * width,
            weight: weight
        )
    }

    /// The whole area as a box.
    func all(corner: Float = 0) -> Outline {
        box(0, 0, 1, height, corner: corner)
    }
}

/// Capital letters and digits of strokes with round ends, for what is written on screens.
enum Lettering {
    /// Each sign as lines through points of a grid of 5 by 7; two digits a point, column and row.
    private static let signs: [Character: String] = [
        "A": "062046 1434", "B": "0030414233 03334445360600", "C": "4130100105163645", "D": "00204244260600",
        "E": "40000646 0333", "F": "400006 0333", "G": "41301001051636454323", "H": "0006 4046 0343",
        "I": "0006",
        "J": "4045361605", "K": "0006 4003 0346", "L": "000646", "M": "0600234046", "N": "06004640",
        "O": "103041453616050110", "P": "06003041423303", "Q": "103041453616050110 2546",
        "R": "06003041423303 2346", "S": "413010010213334445361605", "T": "0040 2026", "U": "000516364540",
        "V": "002640", "W": "0016233640", "X": "0046 4006", "Y": "002340 2326", "Z": "00400646",
        "0": "103041453616050110", "1": "012026", "2": "01103041420646", "3": "0110304142334445361605",
        "4": "36300444", "5": "400002324345361605", "6": "4130100105163645443303", "7": "004016",
        "8": "103041423313020110 133344453616050413", "9": "0516364541301001021343", ":": "0202 0505",
        "-": "0333", ".": "0606", "°": "0020220200",
    ]

    /// How wide `text` is where its letters are 1 high.
    static func width(_ text: String) -> Float {
        max(0, text.reduce(0) { $0 + advance($1) } - gap)
    }

    /// The strokes of `text`, whose first letter has its top left at a place.
    ///
    /// - Parameters:
    ///   - text: signs that there are no strokes for are spaces.
    ///   - x: the left end.
    ///   - y: the top.
    ///   - height: of a letter.
    ///   - weight: the width of a stroke where a letter is 1 high.
    /// - Returns: one shape.
    static func outline(_ text: String, _ x: Float, _ y: Float, height: Float, weight: Float) -> Outline {
        var lines: [Outline] = []
        var left = x
        for sign in text {
            for stroke in (signs[sign] ?? "").split(separator: " ") {
                let points = places(stroke).map { SIMD2(left, y) + $0 * height }
                for (from, to) in zip(points, points.dropFirst()) {
                    lines.append(.line(from.x, from.y, to.x, to.y, width: weight * height))
                }
            }
            left += advance(sign) * height
        }
        return .joined(lines)
    }

    private static let gap: Float = 0.3

    private static func advance(_ sign: Character) -> Float {
        guard let strokes = signs[sign] else { return 0.45 }
        let right = strokes.split(separator: " ").flatMap(places).map(\.x).max() ?? 0
        return right + gap
    }

    private static func places(_ stroke: Substring) -> [SIMD2<Float>] {
        let digits = stroke.compactMap { $0.wholeNumberValue }.map(Float.init)
        return stride(from: 0, to: digits.count - 1, by: 2).map { SIMD2(digits[$0], digits[$0 + 1]) / 6 }
    }
}
