/// Dates as HTTP writes them (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The date that is `seconds` after the start of 1970, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(_ seconds: Int) -> String {
        let clamped = max(0, seconds)
        let (day, time) = (clamped / 86_400, clamped % 86_400)
        let (year, month, date) = civil(day)
        let clock = [time / 3600, time / 60 % 60, time % 60].map(two).joined(separator: ":")
        return "\(days[day % 7]), \(two(date)) \(months[month - 1]) \(year) \(clock) GMT"
    }

    /// The date that is `seconds` after the start of 1970 as ISO 8601 writes it, such as `1994-11-06T08:49:37Z`.
    static func iso8601(_ seconds: Int) -> String {
        let clamped = max(0, seconds)
        let time = clamped % 86_400
        let (year, month, date) = civil(clamped / 86_400)
        let clock = [time / 3600, time / 60 % 60, time % 60].map(two).joined(separator: ":")
        return "\(year)-\(two(month))-\(two(date))T\(clock)Z"
    }

    /// The same with a fraction of six digits.
    static func iso8601(_ seconds: Double) -> String {
        let microseconds = Int(max(0, seconds) * 1_000_000)
        let fraction = String(microseconds % 1_000_000 + 1_000_000).dropFirst()
        return "\(iso8601(microseconds / 1_000_000).dropLast()).\(fraction)Z"
    }

    /// Days since 1970 as year, month and day of the month.
    ///
    /// The algorithm is `civil_from_days` of H. Hinnant, "chrono-compatible low-level date algorithms".
    private static func civil(_ days: Int) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let ofEra = shifted % 146_097
        let year = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (year + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func two(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
