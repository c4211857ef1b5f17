import CalotypeHTTPMessages
import Testing

struct CacheControlTests {
    private func control(_ lines: String) throws -> CacheControl {
        CacheControl(try HTTPHeaders(lines: lines))
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

    private static let lifetimes: [(String, Int?)] = [
        ("max-age=60", 60), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), ("max-age=0", 0), ("max-age=007", 7),
        ("max-age=60, max-age=30", 30), ("max-age=30, max-age=60", 30), ("public, max-age=5 , x", 5),
        ("max-age=2147483648", 1 << 31), ("max-age=2147483649", 1 << 31),
        ("max-age=9223372036854775807", 1 << 31),
        ("max-age=99999999999999999999999999", 1 << 31), ("max-age=-1", 0), ("max-age=1.5", 0),
        ("max-age=", 0),
        ("max-age", 0), ("max-age=a", 0), ("max-age=1e3", 0), ("max-age=60s", 0), ("max-age='60'", 0),
        ("max-age=60, max-age=x", 0), ("max-age=٣", 0), ("s-maxage=60", nil), ("x-max-age=60", nil),
        ("", nil),
    ]

    @Test(arguments: lifetimes)
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
    func `Pragma counts if there is no Cache-Control`(lines: String, expected: Bool) throws {
        #expect(try control(lines).has(.noCache) == expected)
    }
}

extension HTTPHeaders {
    /// Fields from lines such as `Age: 5`, separated by `|`.
    init(lines: String) throws {
        self.init(
            try lines.split(separator: "|").map { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return try HeaderField(
                    checking: parts[0].trimmingBlanks(),
                    parts.last?.trimmingBlanks() ?? ""
                )
            }
        )
    }
}
