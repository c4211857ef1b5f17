import CalotypePlatform

/// Reads and writes dates: those of HTTP (RFC 9110, section 5.6.7) and those of RFC 3339.
package enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The maximum length of text to parse.
    ///
    /// Dates have at most 33 bytes.
    private static let longest = 64

    /// Returns the time from now that a `Retry-After` value specifies: whole seconds or a date.
    package static func delay(_ text: String, now: Int = Int(time(nil))) -> Duration? {
        if !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) {
            // A number with more digits than an Int holds is valid too, and counts as for ever.
            return .seconds(Int(text).map { min($0, 1 << 40) } ?? 1 << 40)
        }
        return seconds(text).map { .seconds(max($0 - now, 0)) }
    }

    /// The moment in a field's value; `nil` if there is no field, or if its value is not a date.
    package static func moment(_ text: String?, now: WallTime) -> WallTime? {
        guard let text, text.utf8.count <= longest else { return nil }
        return seconds(text, now: now.secondsSince1970).map { WallTime(secondsSince1970: $0) }
    }

    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT` and the two obsolete forms into seconds since 1970.
    ///
    /// The obsolete forms are `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. Returns `nil`
    /// for any other text.
    package static func seconds(_ text: String, now: Int = Int(time(nil))) -> Int? {
        let words = text.split(separator: " ")
        if words.count == 6, words[0].hasSuffix(","), words[5] == "GMT" {
            return seconds(
                day: words[1],
                month: words[2],
                year: number(words[3], 1970...9999),
                clock: words[4]
            )
        }
        if words.count == 4, words[0].hasSuffix(","), words[3] == "GMT" {
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3 else { return nil }
            return seconds(day: parts[0], month: parts[1], year: fullYear(parts[2], now), clock: words[2])
        }
        guard words.count == 5 else { return nil }
        return seconds(day: words[2], month: words[1], year: number(words[4], 1970...9999), clock: words[3])
    }

    private static func seconds(day: Substring, month: Substring, year: Int?, clock: Substring) -> Int? {
        guard let day = number(day, 1...31), let year, let month = months.firstIndex(of: String(month)),
            let clock = timeOfDay(clock)
        else { return nil }
        return daysSince1970(year: year, month: month + 1, day: day) * 86_400 + clock
    }

    /// The year that two digits mean: the latest year with these digits that is at most 50 years from now.
    private static func fullYear(_ text: Substring, _ now: Int) -> Int? {
        guard text.utf8.count == 2, let digits = number(text, 0...99) else { return nil }
        // Close enough to distinguish centuries.
        let latest = 1970 + now / 31_556_952 + 50
        let year = latest - ((latest - digits) % 100 + 100) % 100
        return (1970...9999).contains(year) ? year : nil
    }

    private static func timeOfDay(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], 0...23), let minute = number(parts[1], 0...59),
            let second = number(parts[2], 0...60)
        else { return nil }
        return (hour * 60 + minute) * 60 + second
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy(\.isASCIIDigit), let value = Int(text), range.contains(value) else {
            return nil
        }
        return value
    }

    /// Days of the Gregorian calendar, counted in years that begin in March.
    ///
    /// The leap day is then their last.
    package static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }

    /// The date `seconds` after the start of 1970, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(_ seconds: Int) -> String {
        let moment = Moment(seconds)
        let date = "\(two(moment.day)) \(months[moment.month - 1]) \(four(moment.year))"
        return "\(days[HTTPDate.floored(moment.days, 7).remainder]), \(date) \(moment.clock) GMT"
    }

    /// The date `seconds` after the start of 1970, such as `1994-11-06T08:49:37Z`.
    static func internetText(_ seconds: Int) -> String {
        let moment = Moment(seconds)
        return "\(four(moment.year))-\(two(moment.month))-\(two(moment.day))T\(moment.clock)Z"
    }

    /// The parts of a date in UTC.
    private struct Moment {
        let days: Int
        let year: Int
        let month: Int
        let day: Int
        let clock: String

        /// Splits `seconds` since 1970.
        ///
        /// The algorithm is `civil_from_days` (Hinnant, "chrono-compatible low-level date algorithms").
        init(_ seconds: Int) {
            let time: Int
            (days, time) = HTTPDate.floored(seconds, 86_400)
            let (era, dayOfEra) = HTTPDate.floored(days + 719_468, 146_097)
            let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let marchMonth = (5 * dayOfYear + 2) / 153
            month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
            day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
            year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
            clock = [time / 3600, time / 60 % 60, time % 60].map(HTTPDate.two).joined(separator: ":")
        }
    }

    private static func floored(_ number: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
        let remainder = ((number % divisor) + divisor) % divisor
        return ((number - remainder) / divisor, remainder)
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func four(_ number: Int) -> String {
        (0...999).contains(number) ? String(String(number + 10_000).dropFirst()) : "\(number)"
    }
}
