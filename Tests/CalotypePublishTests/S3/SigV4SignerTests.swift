import CalotypeHTTP
import Testing

@testable import CalotypePublish

/// The examples of "Authenticating Requests (AWS Signature Version 4)" in the Amazon S3 API Reference.
@Suite struct SigV4SignerTests {
    private static let documented = SigV4Signer(
        credentials: S3Credentials(
            accessKey: "AKIAIOSFODNN7EXAMPLE",
            secretKey: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        ),
        region: "us-east-1"
    )
    private static let moment = WallTime(secondsSince1970: 1_369_353_600)
    private static let host = "examplebucket.s3.amazonaws.com"

    private static func request(
        _ method: HTTPMethod,
        _ path: String,
        _ headers: KeyValuePairs<String, String> = [:],
        payload: SigV4Request.Payload = .empty
    ) throws -> SigV4Request {
        var request = SigV4Request(method: method, host: host, path: path)
        request.headers = headers.map { HeaderField($0.key, $0.value) }
        request.headers.append(HeaderField("x-amz-content-sha256", payload.text))
        request.payload = payload
        return request
    }

    /// The `Authorization` field for a request with the session's fields added as the signer does.
    private func authorization(_ request: SigV4Request) throws -> String {
        let fields = try Self.documented.headers(for: request, at: Self.moment)
        return try #require(fields.last { $0.name == "Authorization" }).value
    }

    @Test func `an object's range is signed as documented, step by step`() throws {
        var request = try Self.request(.get, "/test.txt", ["Range": "bytes=0-9"])
        let empty = SigV4Request.Payload.empty.text
        #expect(
            try authorization(request)
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
                + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        )
        request.headers.append(HeaderField("x-amz-date", "20130524T000000Z"))
        #expect(
            request.canonicalRequest == """
                GET
                /test.txt

                host:examplebucket.s3.amazonaws.com
                range:bytes=0-9
                x-amz-content-sha256:\(empty)
                x-amz-date:20130524T000000Z

                host;range;x-amz-content-sha256;x-amz-date
                \(empty)
                """
        )
        #expect(
            try Self.documented.stringToSign(request, SigV4Date(Self.moment)) == """
                AWS4-HMAC-SHA256
                20130524T000000Z
                20130524/us-east-1/s3/aws4_request
                7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972
                """
        )
    }

    @Test func `a body, fields and an escaped path are signed as documented`() throws {
        let request = try Self.request(
            .put,
            SigV4Encoding.path("/test$file.text"),
            ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
            payload: .sha256("44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
        )
        #expect(
            try authorization(request)
                .hasSuffix("98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
        )
    }

    @Test func `a query without value is signed as documented`() throws {
        var request = try Self.request(.get, "/")
        request.query = [.init("lifecycle")]
        #expect(
            try authorization(request)
                .hasSuffix("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
        )
    }

    @Test func `a query in any order is signed as documented`() throws {
        var request = try Self.request(.get, "/")
        request.query = [.init("prefix", "J"), .init("max-keys", "2")]
        #expect(
            try authorization(request)
                .hasSuffix("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
        )
    }

    @Test func `a URL is presigned as documented`() throws {
        let request = SigV4Request(method: .get, host: Self.host, path: "/test.txt")
        let query = try Self.documented.query(for: request, at: Self.moment, expires: .seconds(86_400))
        #expect(
            query
                == [
                    "X-Amz-Algorithm=AWS4-HMAC-SHA256",
                    "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request",
                    "X-Amz-Date=20130524T000000Z", "X-Amz-Expires=86400", "X-Amz-SignedHeaders=host",
                    "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
                ]
                .joined(separator: "&")
        )
    }
}
