import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypePlatform
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeServer

@Suite(.timeLimit(.minutes(1)))
struct MetricsAndLogTests {
    @Test func `metrics count requests, statuses, codes and what the caches did`() async throws {
        try await ServerRig.open { rig in
            rig.origin.answer { $0.url.text.hasSuffix("none.jpg") ? .status(404) : nil }
            _ = await rig.get(ServerRig.path())
            _ = await rig.get(ServerRig.path())
            _ = await rig.get(ServerRig.path("rs:fit:1:1", "none.jpg"))
            let answer = await rig.get("/metrics")
            #expect(answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = answer.text.split(separator: "\n").map(String.init)
            for line in [
                "calotype_requests_total{kind=\"picture\"} 3",
                "calotype_status_codes_total{status=\"200\"} 2",
                "calotype_status_codes_total{status=\"404\"} 1", "calotype_errors_total{type=\"http_4xx\"} 1",
                "calotype_cache_results_total{result=\"memory\"} 1",
                "calotype_cache_results_total{result=\"miss\"} 2", "calotype_decodes_total 1",
                "calotype_source_requests_total 2", "calotype_request_duration_seconds_count 3",
                "calotype_request_span_duration_seconds_count{span=\"decode\"} 2",
                "calotype_images_in_progress 0",
            ] {
                #expect(lines.contains(line), "\(line)")
            }
            let names = lines.filter { !$0.hasPrefix("#") }
            #expect(names.allSatisfy { $0.split(separator: " ").count == 2 })
        }
    }

    @Test func `codes from outside make no new labels`() async throws {
        try await ServerRig.open {
            $0.metricsNamespace = ""
        } _: { rig in
            for number in 0..<1_000 {
                var record = AnswerRecord("id", .picture)
                record.refusal = ServerError(404, "x", ErrorCode(rawValue: "made_up_\(number)"), "")
                rig.server.metrics.add(Self.entry(record))
            }
            let text = rig.server.metricsText()
            #expect(text.contains("\nerrors_total{type=\"other\"} 1000\n"))
            #expect(!text.contains("made_up"))
        }
    }

    @Test func `a log line contains the request, the response and the time`() async throws {
        try await ServerRig.open { rig in
            let answer = await rig.get(
                "/unsafe/rs:fit:32:32/plain/http://user:secret%40origin.test/photo.jpg@png"
            )
            let line = Self.entry(answer.record, target: "/unsafe/…").json
            for part in [
                "\"time\":\"2026-01-01T00:00:00Z\"", "\"kind\":\"picture\"", "\"status\":200",
                "\"cache\":\"miss\"",
                "\"source\":\"http://origin.test/photo.jpg\"", "\"source_size\":\"64x48\"",
                "\"size\":\"32x24\"",
                "\"format\":\"png\"", "\"times_ms\":{\"queue\":", "\"attempts\":1",
            ] {
                #expect(line.contains(part), "\(part) in \(line)")
            }
            #expect(!line.contains("secret"))
        }
    }

    @Test(
        arguments: [
            "/unsafe/rs:nonsense:1:1/plain/http://bob:secret@origin.test/photo.jpg@png",
            "/unsafe/rs:nonsense:1:1/plain/http:/bob:secret@origin.test/photo.jpg",
            "/unsafe/rs:nonsense:1:1/plain/http%3A%2F%2Fbob%3Asecret%40origin.test/photo.jpg",
            "/unsafe/http://bob:secret@origin.test/photo.jpg",
            // http://bob:secret@origin.test/photo.jpg
            "/unsafe/rs:nonsense:1:1/aHR0cDovL2JvYjpzZWNyZXRAb3JpZ2luLnRlc3QvcGhvdG8uanBn.png",
            "/wrong-signature/aHR0cDovL2JvYjpzZWNyZXRAb3/JpZ2luLnRlc3QvcGhvdG8uanBn",
            "/info/unsafe/no:option/aHR0cDovL2JvYjpzZWNyZXRAb3JpZ2luLnRlc3QvcGhvdG8uanBn",
            "/nothing/here?url=http%3A%2F%2Fbob%3Asecret%40origin.test/photo.jpg",
        ],
        [true, false]
    )
    func `the password of a source that was refused is not in the log`(
        target: String,
        isSigned: Bool
    ) async throws {
        try await ServerRig.open {
            if isSigned { ($0.signing.keys, $0.signing.salts) = ([[1, 2, 3]], [[4, 5, 6]]) }
            $0.answers.areErrorsDetailed = true
        } _: { rig in
            let answer = await rig.get(target)
            #expect(answer.status >= 400 || !isSigned)
            let line = Self.entry(answer.record, target: target).json
            for word in ["secret", "c2VjcmV0", "zZWNyZX", "bob:"] {
                #expect(!line.contains(word) && !answer.text.contains(word), "\(word) in \(line)")
            }
            #expect(line.contains("origin.test") && line.contains("photo.jpg"), "\(line)")
        }
    }

    @Test func `a log that nobody reads holds nobody up, and says what it lost`() async throws {
        var ends: [Int32] = [-1, -1]
        #expect(unsafe pipe(&ends) == 0)
        let reader = OpenFile(descriptor: ends[0])
        let entry = Self.entry(nil, target: String(repeating: "x", count: 400))
        let lost = try await withAccessLog(to: LogOutput(OpenFile(descriptor: ends[1])), limit: 100) { log in
            // More than the pipe and the log hold.
            for _ in 0..<2_000 { log.add(entry) }
            let lost = log.droppedCount
            #expect(lost > 1_000)
            // What is read from here on comes out again.
            let text = Guarded("")
            while !text.withLock({ $0 }).contains("lost_entries") {
                let piece = String(decoding: try reader.read(65_536), as: UTF8.self)
                text.withLock { $0 += piece }
                log.add(entry)
            }
            return lost
        }
        #expect(lost < 2_000)
    }

    private static func entry(_ record: AnswerRecord?, target: String = "/x") -> AccessEntry {
        AccessEntry(
            FinishedExchange(ServerRig.request(target), status: 200, sentBytes: 10, isComplete: true),
            record,
            at: WallTime(secondsSince1970: ServerRig.now)
        )
    }
}
