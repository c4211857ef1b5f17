import CalotypeHTTP
import Testing

@Suite struct FreshnessClockTests {
    private static let day = 86_400
    private static let lines = "Date: \(FreshnessSample.date)|Cache-Control: max-age=60"

    private func response(_ lines: String = lines, asked: Int, came: Int) throws -> StoredResponse {
        try FreshnessSample.response(lines, asked: .after(asked), came: .after(came))
    }

    /// RFC 9111, section 4.2.3.
    @Test(
        arguments: [
            (lines, 0, 0, 10, 10), (lines, -3, 0, 10, 13), (lines + "|Age: 5", -3, 0, 10, 18),
            (lines + "|Age: 5", 0, 0, 0, 5), ("Cache-Control: max-age=60", 0, 0, 10, 10),
            // The origin's clock is slow or fast by minutes: its Date says nothing about the age.
            (lines, 600, 600, 610, 10), (lines, -600, -600, -590, 10),
        ] as [(String, Int, Int, Int, Int)]
    )
    func `the age is the reported age plus the time since`(
        lines: String,
        asked: Int,
        came: Int,
        now: Int,
        expected: Int
    ) throws {
        let age = try response(lines, asked: asked, came: came).currentAge(at: .after(now))
        #expect(age == .seconds(expected))
    }

    @Test(
        arguments: [
            // A clock set back: the answer is from the future, and as old as it was when it came.
            (0, 0, -1, 0), (0, 0, -day, 0), (0, 0, -784_111_777, 0),
            // Set between request and answer.
            (0, -day, -day, 0), (0, day, day, 0),
            // The clock was wrong by more than a day when the answer came: the origin's is believed.
            (-784_111_777, -784_111_777, 30, 30), (day * 9000, day * 9000, 30, 30),
            (day * 2, day * 2, 30, 30),
        ] as [(Int, Int, Int, Int)]
    )
    func `a clock that jumps makes no response older than it is`(
        asked: Int,
        came: Int,
        now: Int,
        expected: Int
    ) throws {
        let response = try response(asked: asked, came: came)
        #expect(response.currentAge(at: .after(now)) == .seconds(expected))
        let state = response.state(at: .after(now), request: HTTPHeaders(), policy: FreshnessPolicy())
        #expect(state == .fresh(until: .after(now + 60 - expected)))
    }

    @Test func `no clock makes a negative age or lifetime, or traps`() throws {
        let times = [Int.min, -(1 << 40), -784_111_777, -Self.day, -1, 0, 1, Self.day, 1 << 40, Int.max / 2]
        let dates = ["", "|Date: Thu, 01 Jan 1970 00:00:00 GMT", "|Date: Fri, 31 Dec 9999 23:59:59 GMT"]
        let policy = FreshnessPolicy()
        for (asked, came, now) in times.flatMap({ a in times.flatMap { b in times.map { (a, b, $0) } } }) {
            for date in dates {
                let response = try FreshnessSample.response(
                    "Age: 7|Expires: Sun, 06 Nov 1994 08:50:37 GMT" + date,
                    asked: WallTime(secondsSince1970: asked),
                    came: WallTime(secondsSince1970: came)
                )
                #expect(response.currentAge(at: WallTime(secondsSince1970: now)) >= .seconds(7))
                #expect(policy.lifetime(of: response) >= .zero)
                #expect(StoredResponse(encoded: response.encoded) == response)
            }
        }
    }
}
