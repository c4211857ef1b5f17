/// A small number as people compare it: three significant digits, such as `4.53`.
enum ThreeDigits {
    /// The text of a number from 0 to 9.
    static func text(_ number: Double) -> String {
        // In whole millionths, so that 4.535 is what it looks like and not a little less.
        let millionths = Int((min(max(number, 0), 9) * 1_000_000).rounded())
        for decimals in 2...6 {
            let unit = power(6 - decimals)
            let digits = (millionths + unit / 2) / unit
            if digits >= 100 { return text(digits, decimals) }
        }
        return "0.00"
    }

    private static func text(_ digits: Int, _ decimals: Int) -> String {
        let whole = digits / power(decimals)
        let rest = "\(digits % power(decimals))"
        return "\(whole)." + String(repeating: "0", count: decimals - rest.count) + rest
    }

    private static func power(_ exponent: Int) -> Int {
        (0..<exponent).reduce(1) { product, _ in product * 10 }
    }
}
