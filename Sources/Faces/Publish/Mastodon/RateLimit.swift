internal import CalotypeHTTP

/// When a server that has had enough of requests takes the next one.
enum RateLimit {
    /// The longest time that is believed.
    private static let longest = 86_400.0

    /// The time to wait, never shorter than needed and less than a second longer; `nil` where none is told.
    ///
    /// `X-RateLimit-Reset` is a moment (RFC 3339, or seconds since 1970) or a number of seconds from now. The moment is compared with the
    /// server's own clock where the answer tells it: this machine's may be wrong.
    static func pause(_ headers: HTTPHeaders, now: WallTime) -> Duration? {
        guard let reset = headers["X-RateLimit-Reset"] else { return nil }
        let time = Double((headers.moment("Date", now: now) ?? now).secondsSince1970)
        if let moment = RFC3339.seconds(reset) { return pause(Double(moment) + fraction(reset) - time) }
        guard reset.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Double(reset) else {
            return nil
        }
        return pause(number > 1_000_000_000 ? number - time : number)
    }

    /// The part of a second that a time tells.
    private static func fraction(_ time: String) -> Double {
        let digits = time.drop { $0 != "." }.dropFirst().prefix { $0.isASCII && $0.isNumber }
        return Double("0.\(digits)") ?? 0
    }

    private static func pause(_ seconds: Double) -> Duration {
        // A second where the moment has come: the server has just said that it has not.
        .seconds(min(max(seconds, 1), longest))
    }
}
