import CalotypeHTTP
import Testing

@Suite struct FreshnessStateTests {
    private static let date = "Date: \(FreshnessSample.date)"
    private static let yesterday = "Last-Modified: Sat, 05 Nov 1994 08:49:37 GMT"
    private static let minuteAgo = "Last-Modified: Sun, 06 Nov 1994 08:48:37 GMT"
    private static let yearAgo = "Last-Modified: Sat, 06 Nov 1993 08:49:37 GMT"
    private static let stale = Freshness.stale(whileRevalidate: false, ifError: false)

    private func check(
        _ lines: String,
        _ age: Int,
        _ expected: Freshness,
        status: Int = 200,
        request: String = "",
        policy: FreshnessPolicy = FreshnessPolicy()
    ) throws {
        let response = try FreshnessSample.response(lines, status: status)
        let state = response.state(
            at: .after(age),
            request: try FreshnessSample.headers(request),
            policy: policy
        )
        #expect(state == expected, "\(lines) after \(age) s")
    }

    @Test(arguments: [
        ("Cache-Control: max-age=60", 0, Freshness.fresh(until: .after(60))),
        ("Cache-Control: max-age=60", 59, .fresh(until: .after(60))),
        ("Cache-Control: max-age=60", 60, stale),
        ("Cache-Control: max-age=60", 1 << 33, stale), ("Cache-Control: max-age=0", 0, stale),
        ("Cache-Control: max-age=x", 0, stale),
        ("Cache-Control: max-age=60|Age: 20", 39, .fresh(until: .after(40))),
        ("Cache-Control: max-age=60|Age: 20", 40, stale), ("Cache-Control: max-age=60|Age: 99", 0, stale),
        ("Cache-Control: max-age=60|Age: x", 59, .fresh(until: .after(60))),
        ("Cache-Control: max-age=60|Age: -5", 59, .fresh(until: .after(60))),
        ("Cache-Control: max-age=60|\(date)|Expires: Sun, 06 Nov 1994 09:49:37 GMT", 60, stale),
        ("Cache-Control: max-age=60|Expires: 0", 59, .fresh(until: .after(60))),
        ("Cache-Control: s-maxage=60, max-age=1", 1, stale),
        ("Cache-Control: max-age=4294967296", 1, .fresh(until: .after(1 << 31))),
    ])
    func `a response is fresh as long as max-age says`(lines: String, age: Int, expected: Freshness) throws {
        try check(lines, age, expected)
    }

    @Test(arguments: [
        ("\(date)|Expires: Sun, 06 Nov 1994 08:50:37 GMT", 59, Freshness.fresh(until: .after(60))),
        ("\(date)|Expires: Sun, 06 Nov 1994 08:50:37 GMT", 60, stale),
        ("\(date)|Expires: Sunday, 06-Nov-94 08:50:37 GMT", 59, .fresh(until: .after(60))),
        ("\(date)|Expires: Sun Nov  6 08:50:37 1994", 59, .fresh(until: .after(60))),
        ("Expires: Sun, 06 Nov 1994 08:50:37 GMT", 59, .fresh(until: .after(60))),
        ("Date: nonsense|Expires: Sun, 06 Nov 1994 08:50:37 GMT", 59, .fresh(until: .after(60))),
        // The origin's clock is an hour ahead: what counts is the difference of its two dates.
        ("Date: Sun, 06 Nov 1994 09:49:37 GMT|Expires: Sun, 06 Nov 1994 09:50:37 GMT", 60, stale),
        (
            "Date: Sun, 06 Nov 1994 09:49:37 GMT|Expires: Sun, 06 Nov 1994 09:50:37 GMT", 0,
            .fresh(until: .after(60))
        ),
        ("\(date)|Expires: \(FreshnessSample.date)", 0, stale), ("Expires: 0", 0, stale),
        ("Expires: -1", 0, stale),
        ("Expires: soon|\(yearAgo)|\(date)", 0, stale), ("Expires:", 0, stale),
        ("\(date)|Expires: Thu, 01 Jan 1970 00:00:00 GMT", 0, stale),
        ("\(date)|Expires: Fri, 31 Dec 1993 23:59:59 GMT", 0, stale),
    ])
    func `Expires counts from Date, and means the past where it is no date`(
        lines: String,
        age: Int,
        expected: Freshness
    ) throws {
        try check(lines, age, expected)
    }

    @Test(arguments: [
        ("", 299, Freshness.fresh(until: .after(300))), ("", 300, stale),
        ("Cache-Control: public", 299, .fresh(until: .after(300))),
        ("Cache-Control: must-revalidate", 0, .mustRevalidate),
        ("ETag: \"a\"", 299, .fresh(until: .after(300))),
        ("\(date)|\(yesterday)", 8639, .fresh(until: .after(8640))), ("\(date)|\(yesterday)", 8640, stale),
        ("\(date)|\(minuteAgo)", 5, .fresh(until: .after(6))), ("\(date)|\(minuteAgo)", 6, stale),
        ("\(date)|\(yearAgo)", 86_399, .fresh(until: .after(86_400))), ("\(date)|\(yearAgo)", 86_400, stale),
        ("\(date)|Last-Modified: \(FreshnessSample.date)", 0, stale),
        ("\(date)|Last-Modified: Sun, 06 Nov 1999 08:49:37 GMT", 0, stale),
        ("\(date)|Last-Modified: no date", 299, .fresh(until: .after(300))),
        ("\(yesterday)|Age: 8000", 639, .fresh(until: .after(640))),
        ("\(date)|\(yearAgo)|Cache-Control: max-age=1", 1, stale),
    ])
    func `a response without a lifetime is judged by its last change`(
        lines: String,
        age: Int,
        expected: Freshness
    ) throws {
        try check(lines, age, expected)
    }

    @Test(
        arguments: [
            (404, "", 59, Freshness.fresh(until: .after(60))), (404, "", 60, stale),
            (410, "", 59, .fresh(until: .after(60))),
            (404, "\(date)|\(yearAgo)", 60, stale),
            (404, "Cache-Control: max-age=600", 599, .fresh(until: .after(600))),
            (404, "Cache-Control: no-cache", 0, .mustRevalidate), (403, "", 0, stale),
            (403, "Cache-Control: max-age=9", 8, .fresh(until: .after(9))),
            (203, "", 299, .fresh(until: .after(300))),
        ] as [(Int, String, Int, Freshness)]
    )
    func `a 404 or 410 is believed for a short time`(
        status: Int,
        lines: String,
        age: Int,
        expected: Freshness
    ) throws {
        try check(lines, age, expected, status: status)
    }

    @Test(arguments: [
        ("Cache-Control: no-cache, max-age=60", 0), ("Cache-Control: no-cache=\"X\", max-age=60", 0),
        ("Pragma: no-cache", 0), ("Cache-Control: max-age=60, must-revalidate", 60),
        ("Cache-Control: max-age=60, must-revalidate, stale-while-revalidate=99, stale-if-error=99", 60),
        ("Cache-Control: no-cache, stale-if-error=99", 0),
        ("Vary: *|ETag: \"a\"|Cache-Control: max-age=60", 0),
    ])
    func `must-revalidate and no-cache are obeyed`(lines: String, age: Int) throws {
        try check(lines, age, .mustRevalidate)
    }

    @Test(arguments: [
        ("Cache-Control: max-age=60, stale-while-revalidate=30", 59, Freshness.fresh(until: .after(60))),
        (
            "Cache-Control: max-age=60, stale-while-revalidate=30", 60,
            .stale(whileRevalidate: true, ifError: false)
        ),
        (
            "Cache-Control: max-age=60, stale-while-revalidate=30", 89,
            .stale(whileRevalidate: true, ifError: false)
        ),
        ("Cache-Control: max-age=60, stale-while-revalidate=30", 90, stale),
        ("Cache-Control: max-age=60, stale-if-error=30", 89, .stale(whileRevalidate: false, ifError: true)),
        ("Cache-Control: max-age=60, stale-if-error=30", 90, stale),
        // RFC 5861, section 4.1.
        (
            "Cache-Control: max-age=600, stale-if-error=1200", 1799,
            .stale(whileRevalidate: false, ifError: true)
        ),
        (
            "Cache-Control: max-age=600, stale-while-revalidate=30, stale-if-error=1200", 610,
            .stale(whileRevalidate: true, ifError: true)
        ),
        ("Cache-Control: max-age=600, stale-while-revalidate=x", 600, stale),
        ("Cache-Control: max-age=0, stale-while-revalidate=0", 0, stale),
        (
            "Cache-Control: max-age=60, proxy-revalidate, stale-if-error=9", 60,
            .stale(whileRevalidate: false, ifError: true)
        ),
    ])
    func `a stale response may be used as long as it allows`(
        lines: String,
        age: Int,
        expected: Freshness
    ) throws {
        try check(lines, age, expected)
    }

    @Test(arguments: [
        ("Cache-Control: max-age=60", "Cache-Control: no-cache", 0, Freshness.mustRevalidate),
        ("Cache-Control: max-age=60", "Pragma: no-cache", 0, .mustRevalidate),
        ("Cache-Control: max-age=60", "Cache-Control: max-age=10", 9, .fresh(until: .after(10))),
        ("Cache-Control: max-age=60", "Cache-Control: max-age=10", 10, stale),
        ("Cache-Control: max-age=60", "Cache-Control: max-age=99", 60, stale),
        (
            "Cache-Control: max-age=60, stale-if-error=9", "Cache-Control: max-age=0", 10,
            .stale(whileRevalidate: false, ifError: true)
        ),
        ("Cache-Control: max-age=60", "Cache-Control: min-fresh=20", 39, .fresh(until: .after(40))),
        ("Cache-Control: max-age=60", "Cache-Control: min-fresh=20", 40, stale),
        ("Cache-Control: max-age=60", "Cache-Control: max-stale=20", 79, .fresh(until: .after(80))),
        ("Cache-Control: max-age=60", "Cache-Control: max-stale=20", 80, stale),
        ("Cache-Control: max-age=60", "Cache-Control: max-stale", 9999, .fresh(until: .after(60 + 1 << 31))),
        ("Cache-Control: max-age=60, must-revalidate", "Cache-Control: max-stale", 60, .mustRevalidate),
        ("Cache-Control: max-age=60", "Cache-Control: max-stale, max-age=10", 10, stale),
        (
            "Cache-Control: max-age=60", "Cache-Control: stale-if-error=9", 68,
            .stale(whileRevalidate: false, ifError: true)
        ),
        ("Cache-Control: max-age=60, stale-if-error=2", "Cache-Control: stale-if-error=9", 68, stale),
    ])
    func `what a request asks for counts too`(
        lines: String,
        request: String,
        age: Int,
        expected: Freshness
    ) throws {
        try check(lines, age, expected, request: request)
    }

    @Test func `a policy gives longer where the origin says nothing`() throws {
        var policy = FreshnessPolicy()
        policy.staleIfError = .seconds(100)
        policy.lifetimeOfUnknown = .seconds(10)
        policy.negativeLifetime = .zero
        policy.heuristicFraction = 0.5
        policy.heuristicMaximum = .seconds(40)
        try check("", 10, .stale(whileRevalidate: false, ifError: true), policy: policy)
        try check("", 110, Self.stale, policy: policy)
        try check("Cache-Control: stale-if-error=0", 10, Self.stale, policy: policy)
        try check("Cache-Control: must-revalidate, max-age=0", 0, .mustRevalidate, policy: policy)
        try check("\(Self.date)|\(Self.minuteAgo)", 29, .fresh(until: .after(30)), policy: policy)
        try check("\(Self.date)|\(Self.yearAgo)", 39, .fresh(until: .after(40)), policy: policy)
        try check("", 0, .stale(whileRevalidate: false, ifError: true), status: 404, policy: policy)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 1e300])
    func `an invalid fraction gives no endless lifetime`(fraction: Double) throws {
        var policy = FreshnessPolicy()
        policy.heuristicFraction = fraction
        let response = try FreshnessSample.response("\(Self.date)|\(Self.yearAgo)")
        #expect((Duration.zero...policy.heuristicMaximum).contains(policy.lifetime(of: response)))
    }

    @Test func `a shared cache applies the directives for shared caches`() throws {
        var policy = FreshnessPolicy()
        policy.isShared = true
        try check("Cache-Control: s-maxage=60, max-age=1", 59, .fresh(until: .after(60)), policy: policy)
        try check("Cache-Control: s-maxage=60, stale-if-error=9", 60, .mustRevalidate, policy: policy)
        try check("Cache-Control: max-age=60, proxy-revalidate", 60, .mustRevalidate, policy: policy)
        try check("Cache-Control: s-maxage=1, max-age=60", 1, .mustRevalidate, policy: policy)
    }

    @Test(arguments: [
        ("Vary: Accept", "Accept: a", "Accept: a", true), ("Vary: Accept", "Accept: a", "Accept: b", false),
        ("Vary: Accept", "", "", true), ("Vary: Accept", "Accept: a", "", false),
        ("Vary: Accept", "", "Accept: a", false),
        ("Vary: accept", "ACCEPT: a", "accept: a", true),
        ("Vary: Accept", "Accept: a, b", "Accept: a,b", true),
        ("Vary: Accept", "Accept: a|Accept: b", "Accept: a, b", true),
        ("Vary: Accept", "Accept: b, a", "Accept: a, b", false),
        ("Vary: Accept, X", "Accept: a|X: 1", "Accept: a|X: 2", false),
        ("Vary: Accept|Vary: X", "X: 1", "X: 2", false),
        ("Vary: X", "Accept: a", "Accept: b", true), ("", "Accept: a", "Accept: b", true),
        ("Vary: ,", "X: 1", "X: 2", true),
        ("Vary: Authorization", "Authorization: a", "Authorization: b", false),
        ("Vary: Authorization", "Authorization: a", "Authorization: a", true), ("Vary: *", "", "", false),
        ("Vary: X, *", "X: 1", "X: 1", false), ("Vary: X", "X:", "", false),
        ("Vary: a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", "", "", false),
    ])
    func `a response is used only for requests with equal values of the fields it varies by`(
        vary: String,
        first: String,
        second: String,
        matches: Bool
    ) throws {
        let response = try FreshnessSample.response("Cache-Control: max-age=60|\(vary)", request: first)
        let request = try FreshnessSample.headers(second)
        let state = response.state(at: .after(1), request: request, policy: FreshnessPolicy())
        #expect(state == (matches ? .fresh(until: .after(60)) : .otherVariant))
    }

    @Test func `long values are distinguished, and secrets are not stored in plain text`() throws {
        let long = String(repeating: "a", count: 200)
        let response = try FreshnessSample.response("Vary: X, Cookie", request: "X: \(long)|Cookie: secret")
        #expect(response.variant.matches(try FreshnessSample.headers("X: \(long)|Cookie: secret")))
        #expect(!response.variant.matches(try FreshnessSample.headers("X: \(long)b|Cookie: secret")))
        #expect(!response.variant.matches(try FreshnessSample.headers("X: \(long)|Cookie: public")))
        #expect(!String(decoding: response.encoded, as: UTF8.self).contains("secret"))
    }
}
