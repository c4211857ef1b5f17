import Calotype

/// A label on the main actor that shows a text until it has a picture, as views do.
@MainActor
final class PictureLabel {
    private(set) var placeholder: String?
    private(set) var picture: Bitmap?

    init(placeholder: String) {
        self.placeholder = placeholder
    }

    /// Replaces the placeholder with the picture; computes nothing.
    func show(_ picture: Bitmap) {
        self.picture = picture
        placeholder = nil
    }

    /// The label as lines of characters, each of which shows two pixels, one above the other.
    var lines: [String] {
        guard let picture else { return [placeholder ?? ""] }
        let rows = 13
        return (0..<rows).map { row in
            String(
                (0..<rows * 2).map { column in
                    let x = (column * 2 + 1) * picture.size.width / (rows * 4)
                    let shades = [row * 4 + 1, row * 4 + 3].map { quarter in
                        Self.isDark(x, quarter * picture.size.height / (rows * 4), picture)
                    }
                    switch (shades[0], shades[1]) {
                    case (true, true): return "█" as Character
                    case (true, false): return "▀"
                    case (false, true): return "▄"
                    case (false, false): return " "
                    }
                }
            )
        }
    }

    private static func isDark(_ x: Int, _ y: Int, _ picture: Bitmap) -> Bool {
        let pixel = picture.rgba[(y * picture.rowBytes + x * 4)...].prefix(4).map { Int($0) }
        let light = (pixel[0] * 2 + pixel[1] * 5 + pixel[2]) / 8
        return pixel[3] > 127 && light < 170
    }
}
