import Glibc

/// Dates as HTTP writes them (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The time from now that a `Retry-After` value names: whole seconds or a date.
    static func delay(_ text: String, now: Int = Int(time(nil))) -> Duration? {
        if !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) {
            // More digits than an Int holds is a number too, and as good as for ever.
            return .seconds(Int(text).map { min($0, 1 << 40) } ?? 1 << 40)
        }
        return seconds(text).map { .seconds(max($0 - now, 0)) }
    }

    /// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for all else.
    ///
    /// The two obsolete forms of the RFC are not read: no server writes them into `Retry-After`.
    static func seconds(_ text: String) -> Int? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT",
            let day = number(words[1], 1...31), let year = number(words[3], 1970...9999),
            let month = months.firstIndex(of: String(words[2])), let clock = timeOfDay(words[4])
        else { return nil }
        return (daysSince1970(year: year, month: month + 1, day: day)) * 86_400 + clock
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

    /// Days of the Gregorian calendar, counted in years that begin in March so that the leap day is their last.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }
}
