import CalotypePlatform

/// A moment by the wall clock, in whole seconds since 1970 (UTC).
///
/// It is comparable with HTTP dates. Unlike a monotonic clock it is the same in the next process, and it may
/// jump.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Seconds since 1970, within ±2^40 (some 34,000 years), so that sums never overflow.
    public let secondsSince1970: Int

    package static let bound = 1 << 40

    /// Creates a moment; one further away than ±2^40 seconds is moved to that bound.
    public init(secondsSince1970: Int) {
        self.secondsSince1970 = min(max(secondsSince1970, -Self.bound), Self.bound)
    }

    /// The time of the system's clock.
    public static func now() -> WallTime {
        WallTime(secondsSince1970: Int(time(nil)))
    }

    /// Compares by time.
    public static func < (lhs: WallTime, rhs: WallTime) -> Bool {
        lhs.secondsSince1970 < rhs.secondsSince1970
    }

    /// The moment `seconds` later, without fractions of a second.
    public static func + (moment: WallTime, duration: Duration) -> WallTime {
        WallTime(secondsSince1970: moment.secondsSince1970 + duration.wholeSeconds)
    }

    /// The time from `rhs` to `lhs`, negative if `lhs` is earlier.
    public static func - (lhs: WallTime, rhs: WallTime) -> Duration {
        .seconds(lhs.secondsSince1970 - rhs.secondsSince1970)
    }
}

extension WallTime {
    /// The moment in HTTP's form (RFC 9110, section 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var httpText: String { HTTPDate.text(secondsSince1970) }

    /// The moment in UTC in the form of RFC 3339 and ISO 8601, such as `2026-05-01T07:00:00Z`.
    package var internetText: String { HTTPDate.internetText(secondsSince1970) }
}

extension Duration {
    /// The seconds without their fraction, within ±2^41.
    package var wholeSeconds: Int {
        Int(min(max(components.seconds, -(1 << 41)), 1 << 41))
    }
}

extension HTTPHeaders {
    /// Returns the moment in the first field called `name`, such as `Date`.
    ///
    /// Returns `nil` if there is no such field, or if it does not contain a date.
    ///
    /// - Parameters:
    ///   - name: The field.
    ///   - now: The present, which decides the century of a year of two digits.
    /// - Returns: The moment.
    package func moment(_ name: String, now: WallTime) -> WallTime? {
        HTTPDate.moment(self[name], now: now)
    }
}
