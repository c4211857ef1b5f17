import Calotype
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1))) struct ObservingSnippets {
    private let url = "http://photos.test/1.jpg"
    private let notes = Recorder<String>()

    @Test func `events go to a log`() async throws {
        let logger = Logger(notes: notes)
        var configuration = PipelineConfiguration()
        // snippet: Observing.log
        configuration.observer = { event in
            let source = event.source ?? "bytes"
            switch event.kind {
            case .finished(let origin):
                logger.debug("loaded", metadata: ["source": "\(source)", "from": "\(origin)"])
            case .failed(let code):
                logger.warning("failed", metadata: ["source": "\(source)", "code": "\(code)"])
            default: break
            }
        }
        // end
        try await withSamplePipeline(configuration) { pipeline, _ in
            _ = try await pipeline.rendition(for: ImageRequest(url))
            _ = try? await pipeline.rendition(for: ImageRequest("ftp://photos.test/"))
        }
        #expect(notes.values.first == "debug loaded from own, source \(url)")
        #expect(notes.values.last?.hasPrefix("warning failed code unsupported_scheme") == true)
    }

    @Test func `times and sizes become metrics`() async throws {
        var configuration = PipelineConfiguration()
        let (Timer, Counter) = (Timers(notes: notes), Counters(notes: notes))
        // snippet: Observing.metrics
        configuration.observer = { event in
            guard let details = event.details else { return }
            let stages = [
                ("queue", details.timings.queue), ("first byte", details.timings.firstByte),
                ("decode", details.timings.decode), ("total", details.timings.total),
            ]
            for (stage, time) in stages {
                Timer(label: "image_load", dimensions: [("stage", stage)]).record(duration: time)
            }
            Counter(label: "image_bytes").increment(by: event.resultBytes?.bytes ?? 0)
        }
        // end
        let bytes = try await withSamplePipeline(configuration) { pipeline, _ in
            try await pipeline.rendition(for: ImageRequest(url)).bytes.count
        }
        #expect(notes.values.count == 5)
        #expect(notes.values.contains { $0.hasPrefix("image_load stage=decode ") })
        #expect(notes.values.last == "image_bytes \(bytes)")
    }

    @Test func `a load belongs to the trace of a request`() async throws {
        let headers = ["traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]
        let request = ImageRequest(url)
        // snippet: Observing.trace
        var configuration = PipelineConfiguration()
        configuration.sendsTraceContext = true

        func answer(_ pipeline: ImagePipeline) async throws -> Rendition {
            let context = headers["traceparent"].flatMap {
                TraceContext(parent: $0, state: headers["tracestate"])
            }
            return try await TraceContext.$current.withValue(context) {
                try await pipeline.rendition(for: request)
            }
        }
        // end
        try await withSamplePipeline(configuration) { pipeline, transport in
            _ = try await answer(pipeline)
            let sent = try #require(transport.requests.first?.headers["traceparent"])
            #expect(sent.hasPrefix("00-0af7651916cd43dd8448eb211c80319c-"))
        }
    }

    @Test func `values of the caller reach the observer`() async throws {
        var configuration = PipelineConfiguration()
        // snippet: Observing.userInfo
        enum Visitor: RequestInfo.Key { typealias Value = String }

        var request = ImageRequest(url, .fit(256, 256))
        request.userInfo[Visitor.self] = "visitor 7"
        // end
        configuration.observer = { [notes] in notes.record($0.request.userInfo[Visitor.self] ?? "nobody") }
        try await withSamplePipeline(configuration) { [request] pipeline, _ in
            _ = try await pipeline.rendition(for: request)
        }
        #expect(Set(notes.values) == ["visitor 7"])
    }
}

/// Has the shape of swift-log's.
private struct Logger: Sendable {
    let notes: Recorder<String>

    func debug(_ message: String, metadata: [String: String]) { log("debug", message, metadata) }

    func warning(_ message: String, metadata: [String: String]) { log("warning", message, metadata) }

    private func log(_ level: String, _ message: String, _ metadata: [String: String]) {
        let pairs = metadata.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        notes.record("\(level) \(message) \(pairs.joined(separator: ", "))")
    }
}

/// Makes what has the shape of a timer of swift-metrics.
private struct Timers: Sendable {
    struct Timer {
        let name: String
        let notes: Recorder<String>

        func record(duration: Duration) { notes.record("\(name) \(duration)") }
    }

    let notes: Recorder<String>

    func callAsFunction(label: String, dimensions: [(String, String)]) -> Timer {
        let name = "\(label) \(dimensions.map { "\($0)=\($1)" }.joined(separator: " "))"
        return Timer(name: name, notes: notes)
    }
}

/// Makes what has the shape of a counter of swift-metrics.
private struct Counters: Sendable {
    struct Counter {
        let name: String
        let notes: Recorder<String>

        func increment(by amount: Int) { notes.record("\(name) \(amount)") }
    }

    let notes: Recorder<String>

    func callAsFunction(label: String) -> Counter { Counter(name: label, notes: notes) }
}
