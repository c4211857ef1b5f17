import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct S3SweepTests {
    @Test func `cancelled at any step, an upload can be discarded without a trace`() async throws {
        try await withScratchFolder { folder in
            let medium = try sampleMedium(300_000, in: folder)
            let report = try await CancellationSweep().run { context in
                let bucket = FakeBucket(clock: context.clock)
                let client = PublishClient(HTTPClient(bucket.transport))
                let destination = try S3Destination(
                    WebURL("http://s3.test/pictures/blog"),
                    credentials: S3Credentials(accessKey: "key", secretKey: Secret("secret"))
                )
                let log = SessionLog(client)
                try await context.victim { try await destination.upload(medium, log.upload()) }
                await context.settle()
                #expect(bucket.transport.statistics.open == 0)
                try await destination.discard(log.state, nil, client)
                #expect(bucket.now.objects.isEmpty)
            }
            #expect(report.cuts > 5)
        }
    }
}
