import CalotypeCore
import CalotypeHTTP
import Testing

@Suite struct FreshnessRangeTests {
    private static let old = "Date: \(FreshnessSample.date)|Last-Modified: Sun, 06 Nov 1994 08:49:36 GMT"

    private func validators(_ lines: String) throws -> Validators {
        Validators(try FreshnessSample.headers(lines), now: FreshnessSample.start)
    }

    @Test(
        arguments: [
            ("ETag: \"a\"", "\"a\""), ("ETag: W/\"a\"", nil), ("ETag: a", nil), ("ETag: \"", nil), ("", nil),
            (old, "Sun, 06 Nov 1994 08:49:36 GMT"),
            ("Date: \(FreshnessSample.date)|Last-Modified: \(FreshnessSample.date)", nil),
            ("Last-Modified: Sun, 06 Nov 1994 08:49:36 GMT", nil), (old + "|ETag: \"a\"", "\"a\""),
            (old + "|ETag: W/\"a\"", nil),
        ] as [(String, String?)]
    )
    func `only a strong validator allows a download to continue`(lines: String, expected: String?) throws {
        let validators = try validators(lines)
        let fields = validators.rangeFields(fromByte: 500)
        #expect(
            fields?.map { "\($0.name): \($0.value)" }
                == expected.map { ["Range: bytes=500-", "If-Range: \($0)"] }
        )
        #expect(validators.isStrong == (expected != nil))
        let point = ResumePoint(count: ByteCount(500), total: ByteCount(1000), validators: validators)
        #expect((point != nil) == (expected != nil))
        #expect(point?.fields == fields)
    }

    @Test(
        arguments: [
            (0, 1000, nil, false), (1, 1000, nil, true), (999, 1000, nil, true), (1000, 1000, nil, false),
            (1001, 1000, nil, false),
            (500, nil, nil, true), (500, 1000, "gzip", false), (500, 1000, "identity", true),
            (500, 1000, "Identity", true),
            (500, 1000, "", true), (-1, nil, nil, false),
        ] as [(Int, Int?, String?, Bool)]
    )
    func `nothing, everything and encoded bytes are no beginning`(
        count: Int,
        total: Int?,
        encoding: String?,
        expected: Bool
    ) throws {
        let point = ResumePoint(
            count: ByteCount(count),
            total: total.map { ByteCount($0) },
            validators: try validators("ETag: \"a\""),
            contentEncoding: encoding
        )
        #expect((point != nil) == expected)
    }

    private static let append = ResumePoint.Step.append(total: ByteCount(1000))

    @Test(arguments: [
        (206, "Content-Range: bytes 500-999/1000", append),
        (206, "Content-Range: bytes 500-999/1000|ETag: \"a\"", append),
        (206, "Content-Range: bytes 500-999/*", append),
        (206, "Content-Range: bytes 500-999/1000|Content-Length: 500", append),
        (206, "Content-Range: bytes 500-999/1000|Content-Length: 499", .askAgain), (206, "", .askAgain),
        (206, "Content-Range: bytes 0-999/1000", .askAgain),
        (206, "Content-Range: bytes 499-999/1000", .askAgain),
        (206, "Content-Range: bytes 501-999/1000", .askAgain),
        (206, "Content-Range: bytes 500-998/1000", .askAgain),
        (206, "Content-Range: bytes 500-1000/1001", .askAgain),
        (206, "Content-Range: bytes 500-899/900", .askAgain),
        (206, "Content-Range: bytes */1000", .askAgain), (206, "Content-Range: bytes 0-0/1", .askAgain),
        (206, "Content-Range: bytes 500-999/1000|Content-Range: bytes 500-999/1000", .askAgain),
        (206, "Content-Range: bytes 500-999/1000|ETag: \"b\"", .askAgain),
        (206, "Content-Range: bytes 500-999/1000|ETag: W/\"a\"", .askAgain),
        (206, "Content-Range: bytes 500-999/1000|ETag:", .askAgain),
        (206, "Content-Range: bytes 500-999/1000|Content-Encoding: gzip", .askAgain),
        (206, "Content-Type: multipart/byteranges; boundary=x", .askAgain), (200, "", .startAnew),
        (200, "Content-Range: bytes 500-999/1000", .startAnew), (203, "", .startAnew), (412, "", .askAgain),
        (416, "Content-Range: bytes */1000", .askAgain), (416, "", .askAgain), (304, "", .askAgain),
        (404, "", .other),
        (500, "", .other), (503, "", .other), (302, "", .other),
    ])
    func `a response to a request for the rest is checked before its body is used`(
        status: Int,
        lines: String,
        expected: ResumePoint.Step
    ) throws {
        let point = try #require(
            ResumePoint(
                count: ByteCount(500),
                total: ByteCount(1000),
                validators: try validators("ETag: \"a\"")
            )
        )
        #expect(point.step(status: status, headers: try FreshnessSample.headers(lines)) == expected)
    }

    @Test(arguments: [
        ("Content-Range: bytes 500-999/1000", append), ("Content-Range: bytes 500-999/*", .askAgain),
        ("Content-Range: bytes 500-500/501", .append(total: ByteCount(501))),
        ("Content-Range: bytes 500-999/1000|Last-Modified: Sun, 06 Nov 1994 08:49:36 GMT", append),
        ("Content-Range: bytes 500-999/1000|Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", .askAgain),
        ("Content-Range: bytes 500-999/1000|ETag: \"new\"", append),
    ])
    func `the length of the whole must be known in the end`(
        lines: String,
        expected: ResumePoint.Step
    ) throws {
        let point = try #require(
            ResumePoint(count: ByteCount(500), total: nil, validators: try validators(Self.old))
        )
        #expect(point.step(status: 206, headers: try FreshnessSample.headers(lines)) == expected)
    }
}
