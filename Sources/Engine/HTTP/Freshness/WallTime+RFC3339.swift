internal import FoundationEssentials

extension WallTime {
    /// The moment in UTC as RFC 3339 writes it, such as `2026-05-01T07:00:00Z`.
    package var internetText: String {
        Date(timeIntervalSince1970: Double(secondsSince1970)).formatted(.iso8601)
    }
}
