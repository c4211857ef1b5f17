import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct S3FaultTests {
    @Test(
        arguments: [
            (503, "SlowDown", .wait(nil)), (429, "TooManyRequests", .wait(nil)),
            (500, "InternalError", .retry),
            (400, "RequestTimeout", .retry), (503, "ServiceUnavailable", .retry), (400, "BadDigest", .retry),
            (409, "OperationAborted", .retry), (400, "IncompleteBody", .retry), (404, "NoSuchBucket", .none),
            (403, "AccessDenied", .none), (403, "SignatureDoesNotMatch", .none),
            (403, "InvalidAccessKeyId", .none), (400, "EntityTooLarge", .none), (400, "ExpiredToken", .none),
            (404, "NoSuchUpload", .startOver), (200, "SomethingNew", .retry), (500, "SomethingNew", .retry),
            (400, "SomethingNew", .none), (501, "NotImplemented", .none),
        ] as [(Int, String, PublishError.Remedy)]
    )
    func `the code determines the remedy, not the status`(
        _ status: Int,
        _ code: String,
        _ remedy: PublishError.Remedy
    ) async throws {
        try await withBucket { test in
            test.bucket.fail { _ in FakeBucket.error(status, code, "for people") }
            let failure = try await #require(throws: PublishError.self) {
                try await test.destination.limits(test.client)
            }
            #expect(failure.remedy == remedy)
            #expect(failure.error.message.contains("\(code), for people"))
        }
    }

    @Test(
        arguments: [
            ("SignatureDoesNotMatch", .unauthorized), ("InvalidAccessKeyId", .unauthorized),
            ("ExpiredToken", .unauthorized), ("AccessDenied", .http(status: 403)),
        ] as [(String, ErrorCode)]
    )
    func `credentials that are refused have a code of their own`(
        _ code: String,
        _ expected: ErrorCode
    ) async throws {
        try await withBucket { test in
            test.bucket.fail { _ in FakeBucket.error(403, code) }
            let failure = try await #require(throws: PublishError.self) {
                try await test.destination.limits(test.client)
            }
            #expect(failure.error.code == expected)
        }
    }

    @Test func `the server's Retry-After is obeyed`() async throws {
        try await withBucket { test in
            test.bucket.fail { _ in FakeBucket.error(503, "SlowDown", headers: ["Retry-After": "7"]) }
            let failure = try await #require(throws: PublishError.self) {
                try await test.destination.limits(test.client)
            }
            #expect(failure.remedy == .wait(.seconds(7)))
        }
    }

    @Test func `a response that is not XML is judged by its status`() async throws {
        try await withBucket { test in
            test.bucket.fail { _ in ScriptedResponse(status: 502, body: [.bytes(Array("<html>".utf8))]) }
            let failure = try await #require(throws: PublishError.self) {
                try await test.destination.limits(test.client)
            }
            #expect(failure.remedy == .retry)
        }
    }

    @Test func `the region that the server expects is reported`() async throws {
        try await withBucket { test in
            test.bucket.fail { _ in
                FakeBucket.xml(
                    "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-3</Region></Error>",
                    status: 400
                )
            }
            let failure = try await #require(throws: PublishError.self) {
                try await test.destination.limits(test.client)
            }
            #expect(failure.error.message.contains("set the region to eu-west-3"))
        }
    }
}
