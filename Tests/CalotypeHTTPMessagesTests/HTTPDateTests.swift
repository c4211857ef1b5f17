import CalotypeHTTPMessages
import FoundationEssentials
import Testing

struct HTTPDateTests {
    @Test(arguments: [
        ("2", 2), ("0", 0), ("Sun, 06 Nov 1994 08:49:39 GMT", 2), ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
        ("1000000000", 1_000_000_000), ("99999999999999999999999", 1 << 40),
    ])
    func `Retry-After is seconds or a date`(text: String, seconds: Int) {
        #expect(HTTPDate.delay(text, now: 784_111_777) == .seconds(seconds))
    }

    @Test(arguments: ["", "soon", "-1", "1.5", "Sun, 06 Nov 1994", "Sun, 99 Nov 1994 08:49:37 GMT", "٣"])
    func `other Retry-After values say nothing`(text: String) {
        #expect(HTTPDate.delay(text) == nil)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
    ])
    func `a date is seconds since 1970`(text: String, seconds: Int) {
        #expect(HTTPDate.seconds(text) == seconds)
    }

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
        let moment = HTTPDate.moment(text, now: WallTime(secondsSince1970: 784_111_777))
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

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT", "2000-02-29T00:00:00Z"),
        (0, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT", "1969-12-31T23:59:59Z"),
        (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59Z"),
        (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT", "0001-01-01T00:00:00Z"),
    ])
    func `a date is written as HTTP and RFC 3339 write it`(seconds: Int, http: String, internet: String) {
        #expect(WallTime(secondsSince1970: seconds).httpText == http)
        #expect(WallTime(secondsSince1970: seconds).internetText == internet)
    }

    @Test func `a day in each month is written as Foundation writes it, and read again`() {
        for day in stride(from: -86_400 * 3, to: 253_402_300_799, by: 86_400 * 31 + 3_599) {
            let moment = WallTime(secondsSince1970: day)
            #expect(moment.internetText == Date(timeIntervalSince1970: Double(day)).formatted(.iso8601))
            #expect(day < 0 || HTTPDate.seconds(moment.httpText) == day)
        }
    }
}
