import Testing

@testable import CalotypeHTTP

@Suite struct FreshnessDirectiveTests {
    private func control(_ lines: String) throws -> CacheControl {
        CacheControl(try FreshnessSample.headers(lines))
    }

    @Test(arguments: [
        ("no-store", [CacheControl.Directives.noStore]), ("No-Store", [.noStore]), ("no-cache", [.noCache]),
        ("no-cache=\"Set-Cookie, X\"", [.noCache]), ("private", [.isPrivate]),
        ("private=\"a\", public", [.isPrivate, .isPublic]),
        ("must-revalidate,proxy-revalidate", [.mustRevalidate, .proxyRevalidate]),
        ("immutable , max-age=1", [.immutable]), ("only-if-cached", [.onlyIfCached]),
        (", ,no-store,,", [.noStore]), ("x=\"no-store\"", []), ("x=\"a\\\", no-store\"", []),
        ("nostore", []), ("", []), ("=", []), ("\"", []), ("x=\"no-store", []), ("no-store;max-age=1", []),
        ("community=\"UCI\", no-store", [.noStore]),
    ])
    func `directives without a time are read`(value: String, expected: [CacheControl.Directives]) throws {
        let control = try control("Cache-Control: \(value)")
        #expect(control.directives == CacheControl.Directives(expected))
    }

    @Test(arguments: [
        ("max-age=60", 60), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), ("max-age=0", 0), ("max-age=007", 7),
        ("max-age=60, max-age=30", 30), ("max-age=30, max-age=60", 30), ("public, max-age=5 , x", 5),
        ("max-age=2147483648", 1 << 31), ("max-age=2147483649", 1 << 31),
        ("max-age=9223372036854775807", 1 << 31),
        ("max-age=99999999999999999999999999", 1 << 31), ("max-age=-1", 0), ("max-age=1.5", 0),
        ("max-age=", 0),
        ("max-age", 0), ("max-age=a", 0), ("max-age=1e3", 0), ("max-age=60s", 0), ("max-age='60'", 0),
        ("max-age=60, max-age=x", 0), ("max-age=٣", 0), ("s-maxage=60", nil), ("x-max-age=60", nil),
        ("", nil),
    ])
    func `a lifetime is the shortest that is named, and zero where it is no number`(
        value: String,
        expected: Int?
    ) throws {
        #expect(try control("Cache-Control: \(value)").maxAge == expected.map { .seconds($0) })
    }

    @Test func `all fields count, in one line or several`() throws {
        let control = try control(
            "Cache-Control: s-maxage=10, stale-while-revalidate=20|cache-control: stale-if-error=30, s-maxage=40"
        )
        #expect(control.sharedMaxAge == .seconds(10))
        #expect(control.staleWhileRevalidate == .seconds(20))
        #expect(control.staleIfError == .seconds(30))
        #expect(control.maxAge == nil)
    }

    @Test(
        arguments: [
            ("max-stale", 1 << 31, nil), ("max-stale=5", 5, nil), ("max-stale=x", 0, nil),
            ("min-fresh=5", nil, 5),
            ("min-fresh=5, min-fresh=9", nil, 9), ("max-stale, max-stale=3", 3, nil),
        ] as [(String, Int?, Int?)]
    )
    func `a request's max-stale and min-fresh are read`(value: String, stale: Int?, fresh: Int?) throws {
        let control = try control("Cache-Control: \(value)")
        #expect(control.maxStale == stale.map { .seconds($0) })
        #expect(control.minFresh == fresh.map { .seconds($0) })
    }

    @Test(arguments: [
        ("Pragma: no-cache", true), ("Pragma: x, No-Cache", true), ("Pragma: cache", false),
        ("Pragma: no-cache|Cache-Control: max-age=1", false), ("Pragma: no-cache|Cache-Control:", false),
    ])
    func `Pragma counts where there is no Cache-Control`(lines: String, expected: Bool) throws {
        #expect(try control(lines).has(.noCache) == expected)
    }
}

@Suite struct FreshnessDateTests {
    /// RFC 9110, section 5.6.7, and what comes near it.
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 6 08:49:37 1994", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sunday, 06-Nov-24 08:49:37 GMT", 1_730_882_977),
            ("Friday, 06-Nov-44 08:49:37 GMT", 2_362_034_977), ("Sunday, 06-Nov-45 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:37 PST", nil), ("Sunday, 06-Nov-1994 08:49:37 GMT", nil),
            ("Sunday, 06-Nov 08:49:37 GMT", nil), ("Sun Nov 6 08:49 1994", nil),
            ("Sun Foo 6 08:49:37 1994", nil),
            ("Sun, 00 Nov 1994 08:49:37 GMT", nil), ("0", nil), ("-1", nil), ("", nil), ("784111777", nil),
            ("Sun, 06 Nov 1994 24:00:00 GMT", nil), ("Sun, 06 Nov 1994 08:49:37 +0000", nil),
            ("Sun, 06 Nov 1900 08:49:37 GMT", nil),
            ("Sun," + String(repeating: " ", count: 99) + "06 Nov 1994 08:49:37 GMT", nil),
        ] as [(String, Int?)]
    )
    func `a date is read in all three forms`(text: String, seconds: Int?) {
        let moment = HTTPDate.moment(text, now: FreshnessSample.start)
        #expect(moment == seconds.map { WallTime(secondsSince1970: $0) })
    }

    @Test(arguments: [(0, 1), (Int.min, 1), (Int.max, 1), (Int.min, 0)])
    func `no moment overflows`(seconds: Int, more: Int) {
        let moment = WallTime(secondsSince1970: seconds)
        #expect((moment + .seconds(Int64.max)) >= moment)
        #expect((moment + .seconds(Int64.min)) <= moment)
        #expect(moment - moment == .zero)
        #expect((moment + .seconds(more)) - moment <= .seconds(more))
        #expect(
            HTTPDate.moment("Sunday, 06-Nov-94 08:49:37 GMT", now: moment) != nil
                || seconds.magnitude > 1 << 33
        )
    }
}
