import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// What the pipeline's observer is told, in order.
@Suite(.timeLimit(.minutes(1)))
struct EventTests {
    private static let received = PipelineEvent.Kind.received(ByteCount(Studio.photo.count))

    @Test func `a load from the network, then from memory (50, 110)`() async throws {
        try await Studio.open { studio in
            for _ in 0..<2 { #expect(await code(of: studio.ask(studio.request())) == nil) }
            #expect(
                studio.kinds(of: 1) == [
                    .started, .requested(attempt: 1), Self.received, .decoding(pictures: 1), .finished(.own),
                ]
            )
            #expect(studio.kinds(of: 2) == [.started, .finished(.memory)])
            #expect(studio.events.values.allSatisfy { $0.source == studio.url("photo.jpg") })
        }
    }

    @Test func `loads that share tell the work once (110)`() async throws {
        try await Studio.open { studio in
            let gate = try studio.hold()
            let loads = [32, 32, 16].map { studio.ask(studio.request("photo.jpg", $0)) }
            studio.signal(gate)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(
                studio.kinds(of: 1) == [
                    .started, .requested(attempt: 1), Self.received, .decoding(pictures: 2), .finished(.own),
                ]
            )
            #expect(studio.kinds(of: 2) == [.started, .finished(.shared)])
            #expect(studio.kinds(of: 3) == [.started, .finished(.own)])
        }
    }

    @Test func `bytes that another load brings are shared (110)`() async throws {
        try await Studio.open { studio in
            let gate = try studio.hold()
            let request = studio.request()
            let loads = (0..<2).map { _ in studio.start { try await $0.data(for: request) } }
            studio.signal(gate)
            for load in loads { #expect(await code(of: load) == nil) }
            #expect(
                studio.kinds(of: 1) == [.started, .requested(attempt: 1), Self.received, .finished(.own)]
            )
            #expect(studio.kinds(of: 2) == [.started, .finished(.shared)])
        }
    }

    @Test func `a store's picture, and a store that fails (110)`() async throws {
        let store = HeldStore()
        for fresh in [true, false] {
            try await Studio.open {
                $0.store = store
            } _: { studio in
                #expect(await code(of: studio.ask(studio.request())) == nil)
                #expect(studio.kinds(of: 1).last == .finished(fresh ? .own : .store))
                #expect(studio.kinds(of: 1).count == (fresh ? 5 : 2))
            }
        }
    }

    @Test func `attempts, and a failure (61, 110)`() async throws {
        try await Studio.open {
            $0.retries = 2
        } _: { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: .status(503, headers: ["Retry-After": "1"]),
                .status(404)
            )
            let load = studio.ask(studio.request())
            studio.advance(by: .seconds(1))
            #expect(await code(of: load) == "http_404")
            #expect(
                studio.kinds(of: 1) == [
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
    func `what fails before anything is sent starts and fails (110)`(index: Int) async throws {
        try await Studio.open { studio in
            let (failure, change) = Self.failures[index]
            var request = studio.request()
            change(&request)
            #expect(await code(of: studio.ask(request)) == failure.rawValue)
            let kinds = studio.kinds(of: 1).filter { if case .received = $0 { false } else { true } }
            #expect(kinds.filter { $0 != .decoding(pictures: 1) } == [.started, .failed(failure)])
        }
    }

    @Test func `a cancel is told at once and once; what others share goes on under its number (110)`()
        async throws
    {
        try await Studio.open { studio in
            let gate = try studio.hold()
            let loads = (0..<2).map { _ in studio.ask(studio.request()) }
            studio.cancel(loads[0])
            #expect(studio.kinds(of: 1) == [.started, .requested(attempt: 1), .cancelled])
            studio.signal(gate)
            #expect(await code(of: loads[1]) == nil)
            #expect(studio.kinds(of: 1).dropFirst(3) == [Self.received, .decoding(pictures: 1)])
            #expect(studio.kinds(of: 2) == [.started, .finished(.shared)])
        }
    }

    @Test func `every load has one start and one end, whatever becomes of it (110)`() async throws {
        try await Studio.open { studio in
            studio.origin.answer { $0.url.text.hasSuffix("missing.jpg") ? .status(404) : nil }
            let gate = try studio.hold("held.jpg")
            let names = ["photo.jpg", "missing.jpg", "held.jpg"]
            let loads = (0..<60).map { studio.ask(studio.request(names[$0 % 3], 8 + $0 / 6)) }
            for index in stride(from: 2, to: 60, by: 6) { studio.cancel(loads[index]) }
            studio.signal(gate)
            for load in loads { _ = await load.result }
            for load in UInt64(1)...60 {
                let kinds = studio.kinds(of: load)
                #expect(kinds.first == .started)
                #expect(kinds.count { $0 == .started } == 1)
                #expect(kinds.count(where: \.isEnd) == 1)
            }
        }
    }

    @Test func `a source is named without its credentials`() async throws {
        try await Studio.open { studio in
            let load = studio.ask(ImageRequest("http://me:secret@origin.test/a.jpg?b"))
            #expect(await code(of: load) == nil)
            #expect(Set(studio.events.values.map(\.source)) == ["http://origin.test/a.jpg?b"])
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
