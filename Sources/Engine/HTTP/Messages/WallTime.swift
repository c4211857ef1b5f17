internal import FoundationEssentials
import Glibc

/// A moment by the clock on the wall, in whole seconds since 1970 (UTC).
///
/// It is what HTTP's dates are compared with; unlike a monotonic clock it is the same in the next process, and it may
/// jump.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Seconds since 1970, within ±2^40 (some 34,000 years), so that sums never overflow.
    public let secondsSince1970: Int

    static let bound = 1 << 40

    /// Creates a moment; one further away than ±2^40 seconds is moved to that bound.
    public init(secondsSince1970: Int) {
        self.secondsSince1970 = min(max(secondsSince1970, -Self.bound), Self.bound)
    }

    /// What the system's clock tells.
    public static func now() -> WallTime {
        WallTime(secondsSince1970: Int(time(nil)))
    }

    /// Compares by time.
    public static func < (lhs: WallTime, rhs: WallTime) -> Bool {
        lhs.secondsSince1970 < rhs.secondsSince1970
    }

    /// The moment `seconds` later; parts of a second are left out.
    public static func + (moment: WallTime, duration: Duration) -> WallTime {
        WallTime(secondsSince1970: moment.secondsSince1970 + duration.wholeSeconds)
    }

    /// The time from `rhs` to `lhs`, negative where `lhs` is earlier.
    public static func - (lhs: WallTime, rhs: WallTime) -> Duration {
        .seconds(lhs.secondsSince1970 - rhs.secondsSince1970)
    }
}

extension Duration {
    /// The seconds without their fraction, within ±2^41.
    var wholeSeconds: Int {
        Int(min(max(components.seconds, -(1 << 41)), 1 << 41))
    }
}

extension WallTime {
    /// The moment in UTC as RFC 3339 writes it, such as `2026-05-01T07:00:00Z`.
    package var internetText: String {
        Date(timeIntervalSince1970: Double(secondsSince1970)).formatted(.iso8601)
    }
}

/// Dates as HTTP writes them (RFC 9110, section 5.6.7).
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The longest text that is looked at; dates have at most 33 bytes.
    private static let longest = 64

    /// The time from now that a `Retry-After` value names: whole seconds or a date.
    static func delay(_ text: String, now: Int = Int(time(nil))) -> Duration? {
        if !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) {
            // More digits than an Int holds is a number too, and as good as for ever.
            return .seconds(Int(text).map { min($0, 1 << 40) } ?? 1 << 40)
        }
        return seconds(text).map { .seconds(max($0 - now, 0)) }
    }

    /// The moment that a field's value names; `nil` where there is no field, or its value is no date.
    package static func moment(_ text: String?, now: WallTime) -> WallTime? {
        guard let text, text.utf8.count <= longest else { return nil }
        return seconds(text, now: now.secondsSince1970).map { WallTime(secondsSince1970: $0) }
    }

    /// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT` and of the two obsolete forms,
    /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`; `nil` for all else.
    static func seconds(_ text: String, now: Int = Int(time(nil))) -> Int? {
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

    /// The year that two digits mean: of those with these digits the latest that is not more than 50 years from now.
    private static func fullYear(_ text: Substring, _ now: Int) -> Int? {
        guard text.utf8.count == 2, let digits = number(text, 0...99) else { return nil }
        // Close enough to tell one century from another.
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

    /// Days of the Gregorian calendar, counted in years that begin in March so that the leap day is their last.
    package static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }
}

extension HTTPHeaders {
    /// The moment that the first field called `name`, such as `Date`, tells; `nil` where there is none, or it is no date.
    ///
    /// - Parameters:
    ///   - name: The field.
    ///   - now: By which the century of a year of two digits is found.
    /// - Returns: The moment.
    package func moment(_ name: String, now: WallTime) -> WallTime? {
        HTTPDate.moment(self[name], now: now)
    }
}
