import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import Glibc
import TaskFlow

/// Brings a source's bytes to this machine: attempt by attempt, within its time, its length and its share of memory.
struct SourceLoader: Sendable {
    let memory: AdmissionGate
    private let client: HTTPClient
    private let codec: any ImageCoding
    private let disk: ThreadExecutor
    private let estimate = SizeEstimate()
    private let configuration: PipelineConfiguration
    private let spoolFolder: String

    init(
        transport: any HTTPTransporting,
        codec: any ImageCoding,
        disk: ThreadExecutor,
        configuration: PipelineConfiguration
    ) {
        memory = AdmissionGate(capacity: configuration.encodedBytes.bytes)
        var clientLimits = HTTPClient.Limits()
        clientLimits.connections = configuration.connections
        clientLimits.connectionsPerHost = configuration.connectionsPerHost
        client = HTTPClient(transport, limits: clientLimits)
        self.codec = codec
        self.disk = disk
        self.configuration = configuration
        spoolFolder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    }

    /// Makes `source` complete on this machine.
    ///
    /// - Throws: `CalotypeError` of the last attempt; `CancellationError`.
    func load(
        _ source: ImageSource,
        limits: ImageLimits,
        priority: LivePriority,
        meter: LoadMeter
    ) async throws -> LoadedSource {
        switch source {
        case .url(let text):
            try await load(try WebURL(text), limits: limits, priority: priority, meter: meter)
        case .file(let path):
            LoadedSource(input: .file(path: path), byteCount: try await fileSize(path, limits))
        case .bytes(let bytes):
            LoadedSource(input: .bytes(bytes), byteCount: try limits.check(bytes.count))
        }
    }

    private func fileSize(_ path: String, _ limits: ImageLimits) async throws -> ByteCount {
        try await disk.run {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else {
                throw CalotypeError(
                    .fileNotReadable,
                    "cannot read the file: \(unsafe String(cString: strerror(errno)))",
                    stage: .request
                )
            }
            return try limits.check(Int(status.st_size))
        }
    }

    private func load(
        _ url: WebURL,
        limits: ImageLimits,
        priority: LivePriority,
        meter: LoadMeter
    ) async throws -> LoadedSource {
        let allowance = TimeAllowance(configuration.timeout)
        let request = try self.request(url, limits)
        do {
            return try await retrying(policy(allowance), random: allowance.pause) { _ in
                try await attempt(request, limits: limits, priority: priority, meter: meter, allowance)
            }
        } catch let failure as AttemptFailure {
            throw failure.error
        }
    }

    private func request(_ url: WebURL, _ limits: ImageLimits) throws(CalotypeError) -> HTTPRequest {
        var request = HTTPRequest(url, addressPolicy: configuration.addressPolicy)
        for field in configuration.headers { try request.addHeader(field.name, field.value) }
        request.limits.bodyBytes = limits.sourceBytes
        return request
    }

    private func policy(_ allowance: TimeAllowance) -> RetryPolicy {
        RetryPolicy(maximumAttempts: configuration.retries + 1) { error, _ in
            (error as? AttemptFailure)?.decision(allowance) ?? .stop
        }
    }

    /// One request, from its wait for permits to the end of its body.
    private func attempt(
        _ request: HTTPRequest,
        limits: ImageLimits,
        priority: LivePriority,
        meter: LoadMeter,
        _ allowance: TimeAllowance
    ) async throws -> LoadedSource {
        var request = request
        request.timeouts.total = allowance.remaining
        let stopwatch = AttemptStopwatch(meter, allowance)
        defer { stopwatch.stop() }
        do {
            return try await client.withResponse(to: request, priority: priority) {
                try await memory.acquire(weight: estimate.reservation, priority: priority)
            } onSend: {
                stopwatch.start(after: $0)
            } _: { response in
                defer { stopwatch.finish(response.timings) }
                return try await receive(response, limits: limits, meter: meter)
            }
        } catch let error as CalotypeError {
            throw AttemptFailure(error)
        }
    }

    private func receive(
        _ response: HTTPResponse,
        limits: ImageLimits,
        meter: LoadMeter
    ) async throws -> LoadedSource {
        do {
            try response.requireSuccess()
        } catch {
            throw AttemptFailure(error, retryAfter: response.retryAfter)
        }
        guard let permit = response.admission else {
            preconditionFailure("an answer without its permit for memory")
        }
        var body = SourceBody(
            permit: permit,
            limits: limits,
            codec: codec,
            spoolFolder: spoolFolder,
            disk: disk
        )
        defer { meter.note(body.facts) }
        if let length = response.contentLength { try body.expect(length.bytes) }
        for try await chunk in response.body { try await body.append(chunk) }
        estimate.record(body.count)
        return try body.finish()
    }
}
