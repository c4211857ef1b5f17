import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Attempts that go on from where the last one was cut, over a scripted origin.
@Suite(.timeLimit(.minutes(1)))
struct ResumeTests {
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let answers: [ScriptedResponse]
        /// The `Range` of each request that is expected.
        let ranges: [String?]

        init(_ name: String, _ answers: [ScriptedResponse], _ ranges: [String?]) {
            (testDescription, self.answers, self.ranges) = (name, answers, ranges)
        }
    }

    private static let body = RangedBody()
    private static let half = "bytes=100000-"
    private static let reset = CalotypeError(.connectionReset, "reset", stage: .body)
    private static let slow = CalotypeError(.tooSlow, "slow", stage: .body)

    /// Loads `name` from an origin that gives `answers`, with up to two further attempts.
    private func load(
        _ answers: [ScriptedResponse],
        headers: [HeaderField] = [],
        configure: (inout PipelineConfiguration) -> Void = { _ in },
        _ check: (PipelineFixture, Result<SourceData, any Error>) throws -> Void
    ) async throws {
        try await PipelineFixture.open {
            $0.retries = 2
            configure(&$0)
        } _: { fixture in
            let queue = Guarded(answers)
            fixture.origin.answer { _ in
                queue.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
            }
            var request = fixture.request("body")
            request.headers = headers
            let sent = request
            let load = fixture.start { try await $0.data(for: sent, check: .none) }
            for _ in 0..<12 { fixture.advance(by: .seconds(4)) }
            try check(fixture, await load.result)
        }
    }

    private static let continued = [
        Case("cut", [body.cut(100_000), body.rest(100_000)], [nil, half]),
        Case(
            "reset",
            [body.whole().cut(after: ByteCount(100_000), then: .failure(reset)), body.rest(100_000)],
            [nil, half]
        ),
        Case(
            "too slow",
            [body.whole().cut(after: ByteCount(100_000), then: .failure(slow)), body.rest(100_000)],
            [nil, half]
        ),
        Case(
            "N09: idle",
            [body.whole().cut(after: ByteCount(100_000), then: .forever), body.rest(100_000)],
            [nil, half]
        ),
        Case("after one byte", [body.cut(1), body.rest(1)], [nil, "bytes=1-"]),
        Case("before the last byte", [body.cut(199_999), body.rest(199_999)], [nil, "bytes=199999-"]),
        Case(
            "twice",
            [body.cut(100_000), body.rest(100_000).cut(after: ByteCount(50_000)), body.rest(150_000)],
            [nil, half, "bytes=150000-"]
        ),
        Case("without a tag in the answer", [body.cut(100_000), body.rest(100_000, tag: nil)], [nil, half]),
        Case(
            "of unknown length",
            [
                ScriptedResponse(
                    headers: RangedBody.tag,
                    length: .unknown,
                    body: [.bytes(Array(body.bytes[..<100_000])), .failure(reset)]
                ),
                body.rest(100_000),
            ],
            [nil, half]
        ),
        Case("an error between", [body.cut(100_000), .status(503), body.rest(100_000)], [nil, half, half]),
        Case(
            "no answer between",
            [body.cut(100_000), .failure(reset), body.rest(100_000)],
            [nil, half, half]
        ),
        Case(
            "a total that only the 206 leaves out",
            [body.cut(100_000), body.rest(100_000, "bytes 100000-199999/*")],
            [nil, half]
        ),
    ]

    @Test(arguments: continued)
    func `a cut body continues from where it was cut`(row: Case) async throws {
        try await load(row.answers) { fixture, result in
            let bytes = try result.get().bytes
            #expect(bytes == Self.body.bytes)
            #expect(fixture.origin.requests.map { $0.headers["Range"] } == row.ranges)
            let conditions = fixture.origin.requests.map { $0.headers["If-Range"] }
            #expect(conditions == row.ranges.map { $0 == nil ? nil : "\"one\"" })
        }
    }

    private static let anew = [
        Case("N10: 200 in answer to a range", [body.cut(100_000), body.whole()], [nil, half]),
        Case(
            "N10: 200 with another tag",
            [RangedBody(seed: 9).cut(100_000), body.whole(["ETag": "\"two\""])],
            [nil, half]
        ),
        Case(
            "N11: too early",
            [body.cut(100_000), body.rest(100_000, "bytes 99999-199998/200000"), body.whole()],
            [nil, half, nil]
        ),
        Case(
            "N11: from the start",
            [body.cut(100_000), body.rest(0, "bytes 0-199999/200000"), body.whole()],
            [nil, half, nil]
        ),
        Case("N11: too late", [body.cut(100_000), body.rest(100_001), body.whole()], [nil, half, nil]),
        Case(
            "N11: no range",
            [body.cut(100_000), body.rest(100_000, "garbage"), body.whole()],
            [nil, half, nil]
        ),
        Case(
            "N11: less than the rest",
            [body.cut(100_000), body.rest(100_000, "bytes 100000-199998/200000"), body.whole()],
            [nil, half, nil]
        ),
        Case(
            "changed length",
            [body.cut(100_000), body.rest(100_000, "bytes 100000-199999/200001"), body.whole()],
            [nil, half, nil]
        ),
        Case(
            "changed tag",
            [body.cut(100_000), body.rest(100_000, tag: "\"two\""), body.whole()],
            [nil, half, nil]
        ),
        Case(
            "weak tag in the answer",
            [body.cut(100_000), body.rest(100_000, tag: "W/\"one\""), body.whole()],
            [nil, half, nil]
        ),
        Case(
            "416",
            [body.cut(100_000), .status(416, headers: ["Content-Range": "bytes */200000"]), body.whole()],
            [nil, half, nil]
        ),
        Case("412", [body.cut(100_000), .status(412), body.whole()], [nil, half, nil]),
        Case("304", [body.cut(100_000), .status(304), body.whole()], [nil, half, nil]),
        Case(
            "another place",
            [body.cut(100_000), .redirect(to: "/other"), body.rest(100_000), body.whole()],
            [nil, half, half, nil]
        ),
        Case(
            "encoded rest",
            [
                body.cut(100_000),
                ScriptedResponse(
                    status: 206,
                    headers: ["Content-Range": "bytes 100000-199999/200000", "Content-Encoding": "gzip"]
                ),
                body.whole(),
            ],
            [nil, half, nil]
        ),
    ]

    @Test(arguments: anew)
    func `a response that is not the rest means a restart`(row: Case) async throws {
        try await load(row.answers) { fixture, result in
            let bytes = try result.get().bytes
            #expect(bytes == Self.body.bytes)
            #expect(fixture.origin.requests.map { $0.headers["Range"] } == row.ranges)
        }
    }

    private static let never = [
        Case("weak tag", [body.cut(100_000, ["ETag": "W/\"one\""]), body.whole()], [nil, nil]),
        Case("no validator", [body.cut(100_000, [:]), body.whole()], [nil, nil]),
        Case(
            "date as new as the answer",
            [body.cut(100_000, ["Last-Modified": RangedBody.date, "Date": RangedBody.date]), body.whole()],
            [nil, nil]
        ),
        Case(
            "encoded",
            [body.cut(100_000, ["ETag": "\"one\"", "Content-Encoding": "br"]), body.whole()],
            [nil, nil]
        ),
        Case("nothing came", [body.cut(0), body.whole()], [nil, nil]),
        Case(
            "broken framing",
            [
                body.whole().cut(
                    after: ByteCount(100_000),
                    then: .failure(CalotypeError(.http(status: 503), "x", stage: .body))
                ),
                body.whole(),
            ],
            [nil, nil]
        ),
    ]

    @Test(arguments: never)
    func `without a strong validator a truncated body is requested again from the start`(
        row: Case
    ) async throws {
        try await load(row.answers) { fixture, result in
            let bytes = try result.get().bytes
            #expect(bytes == Self.body.bytes)
            #expect(fixture.origin.requests.map { $0.headers["Range"] } == row.ranges)
        }
    }

    @Test func `a date that is old enough is a validator too`() async throws {
        let dates: KeyValuePairs = ["Last-Modified": RangedBody.before, "Date": RangedBody.date]
        try await load([Self.body.cut(100_000, dates), Self.body.rest(100_000, tag: nil)]) {
            fixture,
            result in
            let bytes = try result.get().bytes
            #expect(bytes == Self.body.bytes)
            #expect(fixture.origin.requests.last?.headers["If-Range"] == RangedBody.before)
        }
    }

    @Test(arguments: [ByteCount(1), .kibibytes(64), .mebibytes(24)])
    func `the bytes are right in memory and in the spool`(memory: ByteCount) async throws {
        for threshold in [ByteCount(0), .kibibytes(100), .mebibytes(8)] {
            for first in [70_000, 150_000] {
                let answers = [
                    Self.body.cut(first), Self.body.rest(first).cut(after: ByteCount(20_000)),
                    Self.body.rest(first + 20_000),
                ]
                try await load(answers) {
                    $0.encodedBytes = memory
                    $0.spoolThreshold = threshold
                } _: { fixture, result in
                    let bytes = try result.get().bytes
                    #expect(bytes == Self.body.bytes)
                    #expect(fixture.origin.statistics.requests == 3)
                }
            }
        }
    }

    @Test func `a request with its own range receives that range`() async throws {
        let field = HeaderField("Range", "bytes=100000-")
        try await load([Self.body.rest(100_000)], headers: [field]) { _, result in
            let bytes = try result.get().bytes
            #expect(bytes == Array(Self.body.bytes[100_000...]))
        }
        let answers = [Self.body.rest(100_000).cut(after: ByteCount(10)), Self.body.rest(100_000)]
        try await load(answers, headers: [field]) { fixture, result in
            let bytes = try result.get().bytes
            #expect(bytes == Array(Self.body.bytes[100_000...]))
            #expect(fixture.origin.requests.map { $0.headers["If-Range"] } == [nil, nil])
        }
    }

    @Test func `a part that was not requested is an error`() async throws {
        try await load([Self.body.rest(100_000)]) { fixture, result in
            let error = #expect(throws: CalotypeError.self) { try result.get() }
            #expect(error?.code == .protocolError)
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `progress continues from where the body was cut`() async throws {
        try await PipelineFixture.open {
            $0.retries = 1
        } _: { fixture in
            let url = fixture.url("body")
            let pieces = Self.body.whole().inPieces(of: .kibibytes(10), every: .milliseconds(1))
            try fixture.origin.answer(
                url,
                with: pieces.cut(after: ByteCount(100_000)),
                Self.body.rest(100_000)
            )
            let seen = Recorder<SourceProgress>()
            let request = ImageRequest(url)
            let key = try SourceKey(request, .anything)
            let load = fixture.start { pipeline in
                try await pipeline.sources.observing(key, .init(progress: { seen.record($0) })) {
                    try await pipeline.data(for: request, check: .none).bytes.count
                }
            }
            for _ in 0..<40 { fixture.advance(by: .milliseconds(100)) }
            let count = try await load.value
            #expect(count == Self.body.bytes.count)
            let counts = seen.values.map(\.received.bytes)
            #expect(counts == counts.sorted() && Set(counts).count == counts.count)
            #expect(counts.contains(100_000))
            #expect(counts.last == 200_000)
            #expect(seen.values.allSatisfy { $0.expected?.bytes == 200_000 })
        }
    }

    @Test func `a load that waits for another attempt holds no memory`() async throws {
        try await PipelineFixture.open {
            $0.retries = 1
            $0.connections = 1
            $0.encodedBytes = ByteCount(1)
        } _: { fixture in
            try fixture.origin.answer(
                fixture.url("body"),
                with: Self.body.cut(100_000),
                Self.body.rest(100_000)
            )
            let request = fixture.request("body")
            let load = fixture.start { try await $0.data(for: request, check: .none) }
            #expect(fixture.origin.statistics.failed == 1)
            #expect(fixture.pipeline.snapshot.encodedBytes.bytes == 0)
            // Another load has the connection and the memory meanwhile.
            let other = try await fixture.ask(fixture.request()).value
            #expect(other.attempts == 1)
            for _ in 0..<4 { fixture.advance(by: .seconds(4)) }
            let bytes = try await load.value.bytes
            #expect(bytes == Self.body.bytes)
        }
    }

    @Test(arguments: [(ByteCount(0), true), (ByteCount(199_999), true), (ByteCount(200_000), false)])
    func `a source above the threshold goes to a file though there is room in memory`(
        threshold: ByteCount,
        isSpooled: Bool
    ) async throws {
        for length in [ScriptedResponse.Length.actual, .unknown] {
            try await PipelineFixture.open {
                $0.spoolThreshold = threshold
            } _: { fixture in
                let answer = ScriptedResponse(length: length, body: [.bytes(Self.body.bytes)])
                try fixture.origin.answer(fixture.url("body"), with: answer)
                let key = try SourceKey(fixture.request("body"), .anything)
                let load = fixture.start { pipeline in
                    try await pipeline.sources.source(for: key, priority: LivePriority())
                }
                let source = try await load.value
                if case .file = source.input { #expect(isSpooled) } else { #expect(!isSpooled) }
                #expect((fixture.pipeline.snapshot.encodedBytes.bytes == 0) == isSpooled)
                source.stay()
            }
        }
    }
}
