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
