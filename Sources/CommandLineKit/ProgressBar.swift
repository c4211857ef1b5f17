/// How much is done, drawn with plain characters.
enum ProgressBar {
    /// The bar in brackets, `cells` wide between them.
    static func text(_ fraction: Double, cells: Int) -> String {
        let filled = Int(Double(cells) * bounded(fraction))
        return "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: cells - filled)
            + "]"
    }

    /// The percentage, four columns wide; 100 % only when all is done.
    static func percent(_ fraction: Double) -> String {
        let text = "\(Int(100 * bounded(fraction)))%"
        return String(repeating: " ", count: 4 - text.count) + text
    }

    private static func bounded(_ fraction: Double) -> Double {
        min(max(fraction.isNaN ? 0 : fraction, 0), 1)
    }
}
