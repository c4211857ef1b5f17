import CalotypeHTTP
import Testing

@testable import CalotypePublish

/// Cases of AWS's Signature Version 4 test suite, for a service that signs nothing of S3's own.
@Suite struct SigV4SuiteTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var method = HTTPMethod.get
        var path = "/"
        var query: [SigV4Request.QueryItem] = []
        var headers: [(String, String)] = []
        var token: String?
        let canonicalQuery: String
        let signature: String

        var testDescription: String { name }
    }

    private static let sessionToken =
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqT"
        + "flfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9"
        + "HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYv"
        + "KTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="
    private static let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    static let cases = [
        Case(
            name: "get-vanilla",
            canonicalQuery: "",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        ),
        Case(
            name: "get-vanilla-query-order-key-case",
            query: [.init("Param2", "value2"), .init("Param1", "value1")],
            canonicalQuery: "Param1=value1&Param2=value2",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        ),
        Case(
            name: "get-vanilla-query-order-value",
            query: [.init("Param1", "value2"), .init("Param1", "value1")],
            canonicalQuery: "Param1=value1&Param1=value2",
            signature: "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"
        ),
        Case(
            name: "get-vanilla-query-order-encoded",
            query: [.init("Param-3", "Value3"), .init("Param", "Value2"), .init("\u{1234}", "Value1")],
            canonicalQuery: "%E1%88%B4=Value1&Param=Value2&Param-3=Value3",
            signature: "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"
        ),
        Case(
            name: "get-vanilla-query-unreserved",
            query: [.init(unreserved, unreserved)],
            canonicalQuery: "\(unreserved)=\(unreserved)",
            signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"
        ),
        Case(
            name: "get-utf8",
            path: "/\u{1234}",
            canonicalQuery: "",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"
        ),
        Case(
            name: "get-space",
            path: "/example space/",
            canonicalQuery: "",
            signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"
        ),
        Case(
            name: "get-header-value-order",
            headers: [
                ("My-Header1", "value4"), ("My-Header1", "value1"), ("My-Header1", "value3"),
                ("My-Header1", "value2"),
            ],
            canonicalQuery: "",
            signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"
        ),
        Case(
            name: "get-header-value-trim",
            headers: [("My-Header1", " value1"), ("My-Header2", "\"a   b   c\"")],
            canonicalQuery: "",
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"
        ),
        Case(
            name: "post-header-key-sort",
            method: .post,
            headers: [("My-Header1", "value1")],
            canonicalQuery: "",
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"
        ),
        Case(
            name: "post-sts-header-before",
            method: .post,
            token: sessionToken,
            canonicalQuery: "",
            signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"
        ),
    ]

    @Test(arguments: cases) func `the suite's requests are signed as it says`(_ example: Case) throws {
        let signer = SigV4Signer(
            credentials: S3Credentials(
                accessKey: "AKIDEXAMPLE",
                secretKey: Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
                sessionToken: example.token.map { Secret($0) }
            ),
            region: "us-east-1",
            service: "service"
        )
        let request = SigV4Request(
            method: example.method,
            host: "example.amazonaws.com",
            path: SigV4Encoding.path(example.path),
            query: example.query,
            headers: example.headers.map { HeaderField($0.0, $0.1) }
        )
        #expect(request.canonicalQuery == example.canonicalQuery)
        let fields = try signer.headers(for: request, at: WallTime(secondsSince1970: 1_440_938_160))
        #expect(fields.last?.value.hasSuffix("Signature=\(example.signature)") == true)
    }

    @Test func `the session's token is in the query of a presigned URL, escaped and signed`() throws {
        let signer = SigV4Signer(
            credentials: S3Credentials(
                accessKey: "a",
                secretKey: Secret("b"),
                sessionToken: Secret("to/ken+==")
            ),
            region: "r"
        )
        let request = SigV4Request(method: .get, host: "h", path: "/")
        let query = try signer.query(
            for: request,
            at: WallTime(secondsSince1970: 0),
            expires: .seconds(1)
        )
        #expect(query.contains("&X-Amz-Security-Token=to%2Fken%2B%3D%3D&"))
        #expect(query.contains("X-Amz-Date=19700101T000000Z"))
    }
}
