import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeFiles
import CalotypeStore
import TaskFlow

/// The counters of a server.
///
/// Their label sets are fixed, so that no request makes them grow.
final class ServerMetrics: Sendable {
    /// The values that are read when the metrics are requested.
    struct Gauges: Sendable {
        let pipeline: PipelineSnapshot
        let memory: MemoryCacheSnapshot
        let decodes: CodecLoad
        let receivedBytes: Int
        var workers = 0
        var images = 0
        var prepared: MemoryCacheSnapshot?
        var droppedLogEntries = 0

        init(_ pipeline: ImagePipeline) {
            self.pipeline = pipeline.snapshot
            memory = pipeline.memoryCache
            receivedBytes = pipeline.receivedBytes.bytes
            decodes = pipeline.decodeLoad
        }
    }

    /// The timed parts of a request for an image.
    enum Span: String, CaseIterable {
        case queue, downloading, processing, dns, connect
        case firstByte = "first_byte"
        case body, decode, encode

        func duration(_ timings: LoadTimings) -> Duration {
            switch self {
            case .queue: timings.queue
            case .downloading: timings.dns + timings.connect + timings.firstByte + timings.body
            case .processing: timings.decode + timings.encode
            case .dns: timings.dns
            case .connect: timings.connect
            case .firstByte: timings.firstByte
            case .body: timings.body
            case .decode: timings.decode
            case .encode: timings.encode
            }
        }
    }

    private struct State {
        var inProgress = 0
        var requests: [AnswerRecord.Kind: Int] = [:]
        var statuses: [Int: Int] = [:]
        var errors: [String: Int] = [:]
        var caches: [String: Int] = [:]
        var duration = Histogram()
        var spans: [Span: Histogram] = [:]
        var sentBytes = 0
        /// Completed uses of prepared responses, which are not in the counts above.
        var prepared = 0
        var sourceRequests = 0
        var decodes = 0
        var pictures = 0
    }

    private let state = Guarded(State())

    init() {}

    /// Counts a finished exchange.
    func add(_ entry: AccessEntry) {
        state.withLock { state in
            state.requests[entry.kind, default: 0] += 1
            state.statuses[Self.known(entry.status), default: 0] += 1
            if let code = entry.record?.refusal?.code { state.errors[Self.known(code), default: 0] += 1 }
            if let cache = entry.record?.cache { state.caches[cache, default: 0] += 1 }
            state.duration.add(entry.duration)
            state.sentBytes += entry.sentBytes
            guard let timings = entry.record?.timings else { return }
            for span in Span.allCases { state.spans[span, default: Histogram()].add(span.duration(timings)) }
        }
    }

    /// Counts a use of a prepared response that the client received completely.
    func addPrepared(_ duration: Duration, sentBytes: Int) {
        state.withLock { state in
            state.prepared += 1
            state.duration.add(duration)
            state.sentBytes += sentBytes
        }
    }

    /// Counts an event of the pipeline.
    func add(_ event: PipelineEvent) {
        switch event.kind {
        case .requested: state.withLock { $0.sourceRequests += 1 }
        case .decoding(let pictures):
            state.withLock { state in
                state.decodes += 1
                state.pictures += pictures
            }
        default: break
        }
    }

    /// Counts a request as in progress until ``ended()``.
    func began() { state.withLock { $0.inProgress += 1 } }
    /// The counterpart of ``began()``.
    func ended() { state.withLock { $0.inProgress -= 1 } }

    /// Returns all metrics in the text format of Prometheus.
    func text(_ gauges: Gauges, namespace: String) -> String {
        var state = state.withLock { $0 }
        if state.prepared > 0 {
            state.requests[.picture, default: 0] += state.prepared
            state.statuses[200, default: 0] += state.prepared
            state.caches["memory", default: 0] += state.prepared
        }
        var text = PrometheusText(namespace: namespace)
        Self.writeRequests(state, to: &text)
        Self.writeTimes(state, to: &text)
        Self.writeWork(state, gauges, to: &text)
        Self.writeGauges(gauges, to: &text)
        return text.text
    }

    private static func known(_ status: Int) -> Int {
        (100...599).contains(status) ? status : 0
    }

    /// Returns the label for `code`.
    ///
    /// HTTP statuses are grouped by their first digit, and unknown codes become `other`.
    private static func known(_ code: ErrorCode) -> String {
        let word = code.rawValue
        if word.hasPrefix("http_"), let digit = word.dropFirst(5).first, "12345".contains(digit) {
            return "http_\(digit)xx"
        }
        return ServerError.codes.contains(word) ? word : "other"
    }

    private static func writeRequests(_ state: State, to text: inout PrometheusText) {
        text.metric("requests_total", .counter, "Completed requests, by kind.")
        for kind in AnswerRecord.Kind.allCases {
            text.sample("requests_total", "kind=\"\(kind.rawValue)\"", state.requests[kind] ?? 0)
        }
        text.metric(
            "status_codes_total",
            .counter,
            "Responses by status; 499 means that the client disconnected."
        )
        for (status, count) in state.statuses.sorted(by: { $0.key < $1.key }) {
            text.sample("status_codes_total", "status=\"\(status)\"", count)
        }
        text.metric("errors_total", .counter, "Failed requests, by error code.")
        for (code, count) in state.errors.sorted(by: { $0.key < $1.key }) {
            text.sample("errors_total", "type=\"\(code)\"", count)
        }
        text.metric("cache_results_total", .counter, "Images served, by cache result.")
        for word in ["memory", AnswerRecord.clientsCache] + CacheUse.allCases.map(\.rawValue) {
            text.sample("cache_results_total", "result=\"\(word)\"", state.caches[word] ?? 0)
        }
        text.single("sent_bytes_total", .counter, "Bytes of response bodies sent.", state.sentBytes)
    }

    private static func writeTimes(_ state: State, to text: inout PrometheusText) {
        text.metric("request_duration_seconds", .histogram, "Time from request to end of response.")
        state.duration.write("request_duration_seconds", "", to: &text)
        text.metric("request_span_duration_seconds", .histogram, "Time per stage, without memory hits.")
        for span in Span.allCases {
            let histogram = state.spans[span] ?? Histogram()
            histogram.write("request_span_duration_seconds", "span=\"\(span.rawValue)\"", to: &text)
        }
    }

    private static func writeWork(_ state: State, _ gauges: Gauges, to text: inout PrometheusText) {
        text.single("source_requests_total", .counter, "Requests sent to origins.", state.sourceRequests)
        text.single("source_bytes_total", .counter, "Bytes received from origins.", gauges.receivedBytes)
        text.single("decodes_total", .counter, "Decodes started.", state.decodes)
        text.single("decoded_pictures_total", .counter, "Images created by decodes.", state.pictures)
        text.single("requests_in_progress", .gauge, "Requests in progress.", state.inProgress)
        text.single("memory_cache_hits_total", .counter, "Lookups that found an entry.", gauges.memory.hits)
        text.single("memory_cache_misses_total", .counter, "Lookups that found none.", gauges.memory.misses)
        text.single(
            "access_log_dropped_total",
            .counter,
            "Lines dropped from the access log.",
            gauges.droppedLogEntries
        )
    }

    private static func writeGauges(_ gauges: Gauges, to text: inout PrometheusText) {
        let pipeline = gauges.pipeline
        text.single("workers", .gauge, "Maximum number of decodes at a time.", gauges.workers)
        text.single(
            "workers_utilization",
            .gauge,
            "Running decodes, in percent of the maximum.",
            min(gauges.decodes.running, gauges.workers) * 100 / max(gauges.workers, 1)
        )
        text.single("images_in_progress", .gauge, "Image requests in progress.", gauges.images)
        text.single("flights", .gauge, "Downloads, decodes and images in progress.", pipeline.flights)
        text.single(
            "source_connections",
            .gauge,
            "Requests to origins, running or waiting.",
            pipeline.connections
        )
        text.single(
            "source_connections_waiting",
            .gauge,
            "Requests to origins that wait for a connection, to their host or to any.",
            pipeline.waitingForConnections
        )
        text.single(
            "source_names_waiting",
            .gauge,
            "Requests to origins that wait for name resolution.",
            pipeline.waitingForNames
        )
        text.single("decodes_running", .gauge, "Running decodes.", gauges.decodes.running)
        text.single(
            "decodes_waiting",
            .gauge,
            "Decodes that wait for a core or for memory.",
            gauges.decodes.waiting
        )
        text.single("decoded_bytes", .gauge, "Memory reserved for decodes.", pipeline.decodedBytes.bytes)
        text.single("encoded_bytes", .gauge, "Bytes of sources in memory.", pipeline.encodedBytes.bytes)
        text.single("memory_cache_bytes", .gauge, "Bytes in the memory cache.", gauges.memory.bytes.bytes)
        text.single("memory_cache_entries", .gauge, "Images in the memory cache.", gauges.memory.count)
        let prepared = gauges.prepared
        let bytes = prepared?.bytes.bytes ?? 0
        text.single("prepared_response_bytes", .gauge, "Bytes of responses kept ready.", bytes)
        text.single("prepared_responses", .gauge, "Responses kept ready.", prepared?.count ?? 0)
        let process = ProcessUse()
        text.single("process_resident_memory_bytes", .gauge, "Resident memory.", process.residentBytes)
        text.single("process_cpu_seconds_total", .counter, "CPU time of the process.", process.cpuSeconds)
        text.single("process_open_fds", .gauge, "Open file descriptors.", process.descriptors)
    }
}
