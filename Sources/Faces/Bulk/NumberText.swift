internal import CalotypePlatform

/// Formats decimal fractions; Foundation's formatters would cost more than the rest of a report line.
enum Decimal {
    static func text(_ number: Double, places: Int) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "0" }
        let scale = [1, 10, 100, 1000][min(max(places, 0), 3)]
        let scaled = Int((abs(number) * Double(scale)).rounded())
        let sign = number < 0 && scaled > 0 ? "-" : ""
        guard scale > 1 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % scale)
        return "\(sign)\(scaled / scale)." + String(repeating: "0", count: places - fraction.count) + fraction
    }
}

/// Formats times for people.
enum Clocktime {
    /// Returns a text such as `0.4 s`, `12 s`, `3:05` or `1:02:45`.
    static func text(_ duration: Duration) -> String {
        let seconds = duration.inSeconds
        if seconds < 10 { return Decimal.text(seconds, places: 1) + " s" }
        let whole = Int(clamping: seconds.rounded())
        if whole < 120 { return "\(whole) s" }
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        return (hours > 0 ? "\(hours):\(twoDigits(minutes))" : "\(minutes)") + ":" + twoDigits(whole % 60)
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

extension Duration {
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    var inMilliseconds: Double { inSeconds * 1000 }
}

extension Int {
    /// Returns the nearest integer, or 0 if there is none.
    init(clamping number: Double) {
        self = Int(exactly: number.rounded(.towardZero)) ?? (number > 0 ? .max : 0)
    }
}
