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
        client = HTTPClient(
            transport,
            connections: configuration.connections,
            connectionsPerHost: configuration.connectionsPerHost
        )
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
        return try await retrying(policy(allowance)) { _ in
            try await attempt(url, limits: limits, priority: priority, meter: meter, allowance: allowance)
        }
    }
}
