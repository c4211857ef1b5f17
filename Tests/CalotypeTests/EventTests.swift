import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// What the pipeline's observer is told, in order.
@Suite(.timeLimit(.minutes(1)))
struct EventTests {
    private static let received = PipelineEvent.Kind.received(ByteCount(PipelineFixture.photo.count))

    @Test func `a load from the network, then from memory`() async throws {
        try await PipelineFixture.open { fixture in
            for _ in 0..<2 { #expect(await code(of: fixture.ask(fixture.request())) == nil) }
            #expect(
                fixture.kinds(of: 1) == [
                    .started, .requested(attempt: 1), Self.received, .decoding(pictures: 1), .finished(.own),
                ]
            )
            #expect(fixture.kinds(of: 2) == [.started, .finished(.memory)])
            #expect(fixture.events.values.allSatisfy { $0.source == fixture.url("photo.jpg") })
        }
    }

    private enum Ticket: RequestInfo.Key { typealias Value = Int }

    @Test func `events have the request with what the caller added, and the end has the costs`() async throws
    {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            var request = fixture.request()
            request.userInfo[Ticket.self] = 7
            let load = fixture.ask(request)
            fixture.advance(by: .seconds(2))
            fixture.signal(gate)
            let rendition = try await load.value
            let events = fixture.events.values
            #expect(events.allSatisfy { $0.request.userInfo[Ticket.self] == 7 && $0.request == request })
            #expect(events.dropLast().allSatisfy { $0.details == nil && $0.resultBytes == nil })
            let end = try #require(events.last)
            #expect(end.kind == .finished(.own))
            #expect(end.duration == .seconds(2))
            #expect(end.details?.timings == rendition.timings)
            #expect(end.details?.attempts == 1)
            #expect(end.details?.cache == .miss)
            #expect(end.details?.source?.size == PixelSize(width: 64, height: 48))
            #expect(end.resultBytes == ByteCount(rendition.bytes.count))
        }
    }

    @Test func `the end of a failed load has its costs`() async throws {
        try await PipelineFixture.open { fixture in
            try fixture.origin.answer(fixture.url("photo.jpg"), with: .status(404))
            #expect(await code(of: fixture.ask(fixture.request())) == "http_404")
            let end = try #require(fixture.events.values.last)
            #expect(end.details?.attempts == 1)
            #expect(end.details?.response?.status == 404)
            #expect(end.resultBytes == nil)
        }
    }

    @Test func `loads that share work report it once`() async throws {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            let loads = [32, 32, 16].map { fixture.ask(fixture.request("photo.jpg", $0)) }
            fixture.signal(gate)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(
                fixture.kinds(of: 1) == [
                    .started, .requested(attempt: 1), Self.received, .decoding(pictures: 2), .finished(.own),
                ]
            )
            #expect(fixture.kinds(of: 2) == [.started, .finished(.shared)])
            #expect(fixture.kinds(of: 3) == [.started, .finished(.own)])
        }
    }

    @Test func `bytes that another load brings are shared`() async throws {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            let request = fixture.request()
            let loads = (0..<2).map { _ in fixture.start { try await $0.data(for: request) } }
            fixture.signal(gate)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(
                fixture.kinds(of: 1) == [.started, .requested(attempt: 1), Self.received, .finished(.own)]
            )
            #expect(fixture.kinds(of: 2) == [.started, .finished(.shared)])
        }
    }

    @Test func `a store's picture, and a store that fails`() async throws {
        let store = HeldStore()
        for fresh in [true, false] {
            try await PipelineFixture.open {
                $0.store = store
            } _: { fixture in
                #expect(await code(of: fixture.ask(fixture.request())) == nil)
                #expect(fixture.kinds(of: 1).last == .finished(fresh ? .own : .store))
                #expect(fixture.kinds(of: 1).count == (fresh ? 5 : 2))
            }
        }
    }

    @Test func `attempts, and a failure`() async throws {
        try await PipelineFixture.open {
            $0.retries = 2
        } _: { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: .status(503, headers: ["Retry-After": "1"]),
                .status(404)
            )
            let load = fixture.ask(fixture.request())
            fixture.advance(by: .seconds(1))
            #expect(await code(of: load) == "http_404")
            #expect(
                fixture.kinds(of: 1) == [
                    .started, .requested(attempt: 1), .requested(attempt: 2), .failed(.http(status: 404)),
                ]
            )
        }
    }

    static let failures: [(ErrorCode, @Sendable (inout ImageRequest) -> Void)] = [
        (.invalidURL, { $0.source = .url("nonsense") }),
        (.invalidRequest, { $0.transform = .fit(-1, 0) }),
        (.notCached, { $0.cachePolicy = .cacheOnly }),
        (.fileNotReadable, { $0.source = .file(path: "/nonsense") }),
        (.unsupportedFormat, { $0.source = .bytes([1, 2, 3]) }),
        (.timeoutTotal, { $0.deadline = .now - .seconds(1) }),
    ]

    @Test(arguments: failures.indices)
    func `what fails before anything is sent starts and fails`(index: Int) async throws {
        try await PipelineFixture.open { fixture in
            let (failure, change) = Self.failures[index]
            var request = fixture.request()
            change(&request)
            #expect(await code(of: fixture.ask(request)) == failure.rawValue)
            let kinds = fixture.kinds(of: 1).filter { if case .received = $0 { false } else { true } }
            #expect(kinds.filter { $0 != .decoding(pictures: 1) } == [.started, .failed(failure)])
        }
    }

    @Test func `a cancel is reported immediately and once; shared work continues under its number`()
        async throws
    {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            let loads = (0..<2).map { _ in fixture.ask(fixture.request()) }
            fixture.cancel(loads[0])
            #expect(fixture.kinds(of: 1) == [.started, .requested(attempt: 1), .cancelled])
            fixture.signal(gate)
            #expect(await code(of: loads[1]) == nil)
            #expect(fixture.kinds(of: 1).dropFirst(3) == [Self.received, .decoding(pictures: 1)])
            #expect(fixture.kinds(of: 2) == [.started, .finished(.shared)])
        }
    }

    @Test func `every load has one start and one end, whatever becomes of it`() async throws {
        try await PipelineFixture.open { fixture in
            fixture.origin.answer { $0.url.text.hasSuffix("missing.jpg") ? .status(404) : nil }
            let gate = try fixture.hold("held.jpg")
            let names = ["photo.jpg", "missing.jpg", "held.jpg"]
            let loads = (0..<60).map { fixture.ask(fixture.request(names[$0 % 3], 8 + $0 / 6)) }
            for index in stride(from: 2, to: 60, by: 6) { fixture.cancel(loads[index]) }
            fixture.signal(gate)
            for load in loads { _ = await load.result }
            for load in UInt64(1)...60 {
                let kinds = fixture.kinds(of: load)
                #expect(kinds.first == .started)
                #expect(kinds.count { $0 == .started } == 1)
                #expect(kinds.count(where: \.isEnd) == 1)
            }
        }
    }

    @Test func `a source is named without its credentials`() async throws {
        try await PipelineFixture.open { fixture in
            let load = fixture.ask(ImageRequest("http://me:secret@origin.test/a.jpg?b"))
            #expect(await code(of: load) == nil)
            #expect(Set(fixture.events.values.map(\.source)) == ["http://origin.test/a.jpg?b"])
        }
    }
}

extension PipelineEvent.Kind {
    /// Whether it is the last thing that a load itself tells.
    var isEnd: Bool {
        switch self {
        case .finished, .failed, .cancelled: true
        default: false
        }
    }
}
