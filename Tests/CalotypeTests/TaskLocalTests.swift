import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPMessages
import CalotypeStore
import CalotypeTestKit
import Dispatch
import TaskFlow
import Testing

@testable import Calotype

private enum Caller {
    @TaskLocal static var name: String?
}

/// A caller's task-local values, wherever something is done for its load.
@Suite(.timeLimit(.minutes(1)))
struct TaskLocalTests {
    /// A store that tells in whose name it was called.
    private struct TellingStore: EntryStoring {
        let seen: Recorder<String>

        func value(for key: StoreKey) async throws -> StoredEntry? {
            seen.record("read \(Caller.name ?? "nobody")")
            return nil
        }

        func store(_ value: StoredEntry, for key: StoreKey) async throws -> StoredEntry {
            seen.record("write \(Caller.name ?? "nobody")")
            return value
        }

        func replaceValue(_ value: StoredEntry, for key: StoreKey) async throws {}
        func removeValue(for key: StoreKey) async throws {}
        func removeAll() async throws {}
    }

    private static let steps = [
        "decoding", "finished", "prepare", "provider", "read", "received", "started", "write",
    ]

    private func configure(_ configuration: inout PipelineConfiguration, _ seen: Recorder<String>) {
        configuration.store = TellingStore(seen: seen)
        configuration.prepare = { request in
            seen.record("prepare \(Caller.name ?? "nobody")")
            return request
        }
        configuration.observer = { event in
            let word = "\(event.kind)".prefix { $0.isLetter }
            seen.record("\(word) \(Caller.name ?? "nobody")")
        }
    }

    private func request(_ seen: Recorder<String>) -> ImageRequest {
        let provider = ImageProvider(id: "photo") {
            seen.record("provider \(Caller.name ?? "nobody")")
            return PipelineFixture.photo
        }
        return ImageRequest(.provided(provider), .fit(16, 16))
    }

    @Test func `they are seen on every thread that works for the load`() async throws {
        let seen = Recorder<String>()
        var configuration = PipelineConfiguration()
        configure(&configuration, seen)
        try await withImagePipeline(configuration) { pipeline in
            try await Caller.$name.withValue("me") {
                _ = try await pipeline.rendition(for: request(seen))
                try await pipeline.inBackground { seen.record("background \(Caller.name ?? "nobody")") }
            }
        }
        #expect(seen.values.sorted() == (["background"] + Self.steps).map { "\($0) me" })
    }

    @Test func `they are seen in a load that a task or a callback started`() async throws {
        for byCallback in [false, true] {
            let seen = Recorder<String>()
            var configuration = PipelineConfiguration()
            configure(&configuration, seen)
            try await withImagePipeline(configuration) { pipeline in
                let done = Event()
                let task = Caller.$name.withValue("me") {
                    guard byCallback else { return Optional(pipeline.task(for: request(seen))) }
                    pipeline.load(request(seen), on: .global()) { _ in done.signal() }
                    return nil
                }
                if let task { _ = try await task.value } else { try await done.wait() }
            }
            #expect(seen.values.sorted() == Self.steps.map { "\($0) me" })
        }
    }

    @Test func `shared work keeps those of the caller that started it`() async throws {
        let seen = Recorder<String>()
        let gate = Event()
        try await PipelineFixture.open {
            configure(&$0, seen)
        } _: { fixture in
            let provider = ImageProvider(id: "photo") {
                seen.record("provider \(Caller.name ?? "nobody")")
                try await gate.wait()
                return PipelineFixture.photo
            }
            let request = ImageRequest(.provided(provider), .fit(16, 16))
            let loads = ["first", "second"].map { name in
                Caller.$name.withValue(name) { fixture.ask(request) }
            }
            fixture.signal(gate)
            for load in loads { #expect(await code(of: load) == nil) }
        }
        let own = ["started second", "prepare second", "finished second"]
        #expect(seen.values.filter { $0.hasSuffix("second") } == own)
        #expect(seen.values.filter { $0.hasSuffix("first") }.sorted() == Self.steps.map { "\($0) first" })
    }

    @Test(arguments: [false, true])
    func `requests carry the distributed trace of the load that began them, if that is wanted`(
        _ isWanted: Bool
    ) async throws {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let context = try #require(TraceContext(parent: parent, state: "a=1"))
        try await PipelineFixture.open {
            $0.sendsTraceContext = isWanted
        } _: { fixture in
            try fixture.origin.answer(
                fixture.url("moved.jpg"),
                with: .status(302, headers: ["Location": "/photo.jpg"])
            )
            let (traced, plain) = (fixture.request("moved.jpg"), fixture.request("other.jpg"))
            var own = fixture.request("own.jpg")
            own.headers.append(HeaderField("traceparent", "mine"))
            let loads = TraceContext.$current.withValue(context) { [fixture.ask(traced), fixture.ask(own)] }
            for load in loads + [fixture.ask(plain)] { _ = try await load.value }
            func headers(_ name: String) -> HTTPHeaders? {
                fixture.origin.requests.first { $0.url.text.hasSuffix(name) }?.headers
            }
            var spans: Set = [context.spanID]
            for name in ["/moved.jpg", "/photo.jpg"] {
                let sent = headers(name)?["traceparent"].flatMap { TraceContext(parent: $0) }
                #expect(sent?.traceID == (isWanted ? context.traceID : nil))
                #expect(headers(name)?["tracestate"] == (isWanted ? "a=1" : nil))
                if let sent { spans.insert(sent.spanID) }
            }
            #expect(spans.count == (isWanted ? 3 : 1))
            #expect(headers("/own.jpg")?["traceparent"] == "mine")
            #expect(headers("/other.jpg")?["traceparent"] == nil)
        }
    }
}
