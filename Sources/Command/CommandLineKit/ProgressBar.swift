/// How much is done, drawn with plain characters.
enum ProgressBar {
    /// The bar in brackets, `cells` wide between them; what is on its way but not done is drawn with hyphens.
    static func text(_ fraction: Double, underWay: Double? = nil, cells: Int) -> String {
        let filled = Int(Double(cells) * bounded(fraction))
        let begun = max(Int(Double(cells) * bounded(underWay ?? 0)), filled)
        return "[" + String(repeating: "=", count: filled) + String(repeating: "-", count: begun - filled)
            + String(repeating: " ", count: cells - begun) + "]"
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
