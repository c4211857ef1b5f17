import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypePublish

/// Signatures that are out of date, and what is done about them.
@Suite(.timeLimit(.minutes(1))) struct S3SignatureRenewalTests {
    /// 20 minutes after what the client takes for now.
    private static let serverDate = "Tue, 14 Nov 2023 22:33:20 GMT"

    private func dates(_ bucket: FakeBucket) -> [String] {
        bucket.transport.requests.compactMap { $0.headers["x-amz-date"] }
    }

    @Test func `a wrong clock is corrected once, by the server's date`() async throws {
        try await withBucket { test in
            test.bucket.fail { _ in
                FakeBucket.error(403, "RequestTimeTooSkewed", headers: ["Date": Self.serverDate])
            }
            _ = try await test.destination.limits(test.client)
            _ = try await test.destination.limits(test.client)
            #expect(dates(test.bucket) == ["20231114T221320Z", "20231114T223320Z", "20231114T223320Z"])
        }
    }

    @Test func `a clock that stays wrong is an error that says so`() async throws {
        try await withBucket { test in
            test.bucket.fail(10) { _ in
                FakeBucket.error(403, "RequestTimeTooSkewed", headers: ["Date": Self.serverDate])
            }
            let failure = try await #require(throws: PublishError.self) {
                try await test.destination.limits(test.client)
            }
            #expect(failure.remedy == .none)
            #expect(failure.error.message.contains("clock"))
            #expect(test.bucket.log.count == 2)
        }
    }

    @Test func `the response to a HEAD has no body, but its date proves as much`() async throws {
        try await withBucket { test in
            let medium = try sampleMedium(10, in: test.folder)
            test.bucket.fail { _ in .status(403, headers: ["Date": Self.serverDate]) }
            _ = try await test.destination.upload(medium, test.log.upload())
            #expect(dates(test.bucket) == ["20231114T221320Z", "20231114T223320Z", "20231114T223320Z"])
            test.bucket.fail { _ in .status(403, headers: ["Date": Self.serverDate]) }
            let remedy = try await test.remedy(of: medium)
            #expect(remedy == PublishError.Remedy.none)
        }
    }

    @Test func `a presigned URL that has become void on its way is signed again, once`() async throws {
        let clock = Guarded(WallTime(secondsSince1970: 1_700_000_000))
        try await withBucket(now: { clock.withLock { $0 } }) { test in
            var destination = test.destination
            destination.signing = .query(expires: .seconds(60))
            let medium = try sampleMedium(10, in: test.folder)
            let expired = { @Sendable (request: HTTPRequest) -> ScriptedResponse? in
                guard request.method == .put else { return nil }
                clock.withLock { $0 = $0 + .seconds(100) }
                return FakeBucket.error(403, "AccessDenied", "Request has expired")
            }
            test.bucket.fail(1, expired)
            _ = try await destination.upload(medium, test.log.upload())
            let urls = test.bucket.transport.requests.map(\.url.text)
            #expect(urls.count == 3)
            #expect(urls[1].contains("X-Amz-Date=20231114T221320Z&X-Amz-Expires=60"))
            #expect(urls[2].contains("X-Amz-Date=20231114T221500Z&X-Amz-Expires=60"))
            #expect(test.bucket.transport.requests.allSatisfy { $0.headers["Authorization"] == nil })

            test.bucket.change { $0.objects = [:] }
            test.bucket.fail(10, expired)
            let failure = try await #require(throws: PublishError.self) {
                _ = try await destination.upload(medium, test.log.upload())
            }
            #expect(failure.remedy == .none)
            #expect(test.bucket.log.count == 6)
        }
    }

    @Test func `no error contains a signature`() async throws {
        try await withBucket { test in
            var destination = test.destination
            destination.signing = .query(expires: .seconds(60))
            let refused: [ScriptedResponse] = [
                FakeBucket.error(403, "AccessDenied"), .status(500), .status(301),
                .failure(CalotypeError(.connectionReset, "cut", stage: .response)),
            ]
            for answer in refused {
                test.bucket.fail { _ in answer }
                let error = try await #require(throws: (any Error).self) {
                    try await destination.limits(test.client)
                }
                #expect(!"\(error)".contains("X-Amz"))
                #expect("\(error)".contains("http://s3.test/pictures"))
            }
        }
    }

    @Test func `a session that is over is renewed once, where somebody knows how`() async throws {
        let asked = Recorder<Int>()
        let refresh: S3Destination.CredentialSource = {
            asked.record(1)
            return S3Credentials(
                accessKey: "fresh",
                secretKey: Secret("secret"),
                sessionToken: Secret("token")
            )
        }
        try await withBucket(refresh: refresh) { test in
            test.bucket.fail { _ in FakeBucket.error(400, "ExpiredToken") }
            _ = try await test.destination.limits(test.client)
            let last = try #require(test.bucket.transport.requests.last)
            #expect(last.headers["Authorization"]?.contains("Credential=fresh/") == true)
            #expect(last.headers["x-amz-security-token"] == "token")
            #expect(asked.count == 1)
            test.bucket.fail(10) { _ in FakeBucket.error(400, "ExpiredToken") }
            let failure = try await #require(throws: PublishError.self) {
                try await test.destination.limits(test.client)
            }
            #expect(failure.remedy == .none)
            #expect(test.bucket.log.count == 3)
        }
    }
}
