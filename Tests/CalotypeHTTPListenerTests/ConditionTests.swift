import CalotypeHTTP
import Testing

@testable import CalotypeHTTPListener

/// Conditions and ranges (H13).
@Suite
struct ConditionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let fields: [(String, String)]
        let status: Int
        var method = "GET"
        var answer: [(String, String)] = [
            ("ETag", "\"a\""), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ]
        var range: Range<Int>?

        init(
            _ fields: [(String, String)],
            _ status: Int,
            _ range: Range<Int>? = nil,
            method: String = "GET",
            answer: [(String, String)]? = nil
        ) {
            self.fields = fields
            self.status = status
            self.range = range
            self.method = method
            if let answer { self.answer = answer }
        }

        var testDescription: String { "\(method) \(fields) -> \(status)" }
    }

    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
    static let after = "Sun, 06 Nov 1994 08:49:38 GMT"

    static let conditions: [Case] = [
        Case([], 200),
        Case([("If-None-Match", "\"a\"")], 304),
        Case([("If-None-Match", "W/\"a\"")], 304),
        Case([("If-None-Match", "\"b\", \"a\"")], 304),
        Case([("If-None-Match", "\"b\""), ("If-None-Match", "\"a\"")], 304),
        Case([("If-None-Match", "\"x,\", W/\"a\"")], 304),
        Case([("If-None-Match", "*")], 304),
        Case([("If-None-Match", "\"b\"")], 200),
        Case([("If-None-Match", "\"A\"")], 200),
        Case([("If-None-Match", "")], 200),
        Case([("If-None-Match", "\"a\"")], 304, method: "HEAD"),
        Case([("If-None-Match", "\"a\"")], 200, method: "POST"),
        Case([("If-None-Match", "\"a\"")], 200, answer: []),
        Case([("If-None-Match", "\"a\"")], 304, answer: [("ETag", "W/\"a\"")]),
        Case([("If-Modified-Since", date)], 304),
        Case([("If-Modified-Since", after)], 304),
        Case([("If-Modified-Since", before)], 200),
        Case([("If-Modified-Since", "yesterday")], 200),
        Case([("If-Modified-Since", date)], 200, answer: [("ETag", "\"a\"")]),
        Case([("If-None-Match", "\"b\""), ("If-Modified-Since", date)], 200),
        Case([("If-None-Match", "\"a\""), ("If-Modified-Since", before)], 304),
        Case([("If-Match", "\"a\"")], 200),
        Case([("If-Match", "\"b\", \"a\"")], 200),
        Case([("If-Match", "*")], 200),
        Case([("If-Match", "\"b\"")], 412),
        Case([("If-Match", "W/\"a\"")], 412),
        Case([("If-Match", "\"a\"")], 412, answer: []),
        Case([("If-Match", "\"b\""), ("If-None-Match", "\"a\"")], 412),
        Case([("If-Match", "\"a\""), ("If-None-Match", "\"a\"")], 304),
        Case([("If-Match", "\"a\""), ("If-Unmodified-Since", before)], 200),
        Case([("If-Unmodified-Since", date)], 200),
        Case([("If-Unmodified-Since", after)], 200),
        Case([("If-Unmodified-Since", before)], 412),
        Case([("If-Unmodified-Since", "soon")], 200),
    ]

    static let ranges: [Case] = [
        Case([("Range", "bytes=0-4")], 206, 0..<5),
        Case([("Range", "bytes=5-")], 206, 5..<10),
        Case([("Range", "bytes=-3")], 206, 7..<10),
        Case([("Range", "bytes=-30")], 206, 0..<10),
        Case([("Range", "bytes=0-99999999999999999999999")], 206, 0..<10),
        Case([("Range", "bytes=9-9")], 206, 9..<10),
        Case([("Range", "BYTES= 1-2 ")], 206, 1..<3),
        Case([("Range", "bytes=10-")], 416),
        Case([("Range", "bytes=99999999999999999999999-")], 416),
        Case([("Range", "bytes=-0")], 416),
        Case([("Range", "bytes=5-4")], 200),
        Case([("Range", "bytes=a-b")], 200),
        Case([("Range", "bytes=-")], 200),
        Case([("Range", "bytes=")], 200),
        Case([("Range", "bytes")], 200),
        Case([("Range", "bytes=+1-2")], 200),
        Case([("Range", "bytes=1--2")], 200),
        Case([("Range", "lines=0-4")], 200),
        Case([("Range", "bytes=0-1,3-4")], 200),
        Case([("Range", "bytes=0-4"), ("Range", "bytes=0-4")], 200),
        Case([("Range", "bytes=0-4")], 200, method: "HEAD"),
        Case([("Range", "bytes=0-4"), ("If-Range", "\"a\"")], 206, 0..<5),
        Case([("Range", "bytes=0-4"), ("If-Range", "\"b\"")], 200),
        Case([("Range", "bytes=0-4"), ("If-Range", "W/\"a\"")], 200),
        Case([("Range", "bytes=0-4"), ("If-Range", date)], 206, 0..<5),
        Case([("Range", "bytes=0-4"), ("If-Range", after)], 200),
        Case([("Range", "bytes=0-4"), ("If-Range", "soon")], 200),
        Case([("Range", "bytes=99-"), ("If-Range", "\"b\"")], 200),
        Case([("Range", "bytes=0-4"), ("If-None-Match", "\"a\"")], 304),
        Case([("Range", "bytes=0-4"), ("If-Match", "\"b\"")], 412),
    ]

    @Test(arguments: conditions + ranges)
    func `conditions and ranges change a response as the RFC says`(_ given: Case) {
        let answer = Self.answer(given, .bytes(Array(0..<10)))
        #expect(answer.status == given.status)
        switch answer.content {
        case .bytes(_, let range): #expect(range == given.range ?? 0..<10)
        case .nothing(let length): #expect(length == (given.status == 412 || given.status == 416 ? 0 : 10))
        case .stream: Issue.record("no stream was given")
        }
        let contentRange = answer.fields.first { $0.name == "Content-Range" }?.value
        switch given.status {
        case 206:
            #expect(contentRange == given.range.map { "bytes \($0.lowerBound)-\($0.upperBound - 1)/10" })
        case 416: #expect(contentRange == "bytes */10")
        default: #expect(contentRange == nil)
        }
    }

    @Test func `a response other than 200 has no conditions`() {
        for status in [404, 500, 301, 206] {
            let given = Case([("If-None-Match", "\"a\""), ("Range", "bytes=0-1")], status)
            #expect(Self.answer(given, .bytes(Array(0..<10)), status).status == status)
        }
    }

    @Test func `a 304 keeps what a cache needs, and nothing of the body`() {
        let fields = [
            ("ETag", "\"a\""), ("Cache-Control", "max-age=9"), ("Vary", "Accept"),
            ("Content-Type", "image/png"),
        ]
        let answer = Self.answer(Case([("If-None-Match", "*")], 304, answer: fields), .bytes([1]))
        #expect(answer.fields.map(\.name) == ["ETag", "Cache-Control", "Vary"])
    }

    @Test func `a complete response says that ranges are supported`() {
        let fields = Self.answer(Case([], 200), .bytes([1])).fields
        #expect(fields.contains { $0.name == "Accept-Ranges" && $0.value == "bytes" })
        let stream = Self.answer(Case([], 200), .none).fields
        #expect(!stream.contains { $0.name == "Accept-Ranges" })
    }

    @Test func `a date of this second proves nothing about the bytes`() {
        let now = WallTime(secondsSince1970: 784_111_777)
        let request = Self.request(Case([("Range", "bytes=0-1"), ("If-Range", Self.date)], 200))
        let response = OutgoingResponse(
            200,
            CalotypeHTTPListenerTests.fields([("Last-Modified", Self.date)]),
            .bytes([1, 2, 3])
        )
        #expect(ConditionalAnswer(response, to: request, now: now) == .unchanged)
        let later = WallTime(secondsSince1970: 784_111_778)
        #expect(ConditionalAnswer(response, to: request, now: later) == .partial(0..<2, of: 3))
    }

    @Test func `fields that are the listener's own are left out`() {
        let fields = [
            ("Content-Length", "7"), ("transfer-encoding", "chunked"), ("Connection", "Upgrade"), ("A", "b"),
        ]
        let answer = Self.answer(Case([], 200, answer: fields), .none)
        #expect(answer.fields.map(\.name) == ["A"])
    }

    private static func request(_ given: Case) -> IncomingRequest {
        IncomingRequest(
            method: given.method,
            target: "/",
            headers: CalotypeHTTPListenerTests.fields(given.fields),
            client: "",
            arrival: .now,
            body: .empty
        )
    }

    private static func answer(_ given: Case, _ body: OutgoingResponse.Body, _ status: Int = 200) -> Answer {
        let response = OutgoingResponse(status, CalotypeHTTPListenerTests.fields(given.answer), body)
        return Answer(response, to: request(given), from: "", closes: false)
    }
}
