import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import Glibc
import Synchronization
import TaskFlow

/// Brings a source's bytes to this machine, from where they are.
final class SourceLoader: Sendable {
    /// What asking for a source came to.
    indirect enum Delivery: Sendable {
        case body(SourceBody.Product, SourceReceipt)
        /// The version that was known is still the current one; its freshness is new.
        case unchanged(SourceVersion, SourceReceipt)
    }

    /// The answer to a condition came from another place than the version that the condition names.
    struct Elsewhere: Error {}

    let memory: AdmissionGate
    /// The half of ``memory`` that may be set aside for sources whose origins have not answered yet.
    let early: AdmissionGate
    /// What a download has of ``memory`` at least; all connections together have a quarter of it by that, so that another quarter
    /// is left for those that get on.
    let leastShare: Int
    let client: HTTPClient
    let disk: any TaskExecutor
    let clock: PipelineClock
    let configuration: PipelineConfiguration
    let spoolFolder: String
    let judge: CacheJudge
    let estimate = SizeEstimate()
    /// The bytes of bodies that have come.
    let received = Atomic(0)
    /// Files with beginnings of bodies that may be open at a time; who finds none free starts anew.
    let beginningFiles: AdmissionGate
    /// The bytes of files that are read while they grow.
    let growing: AdmissionGate
    /// Beginnings of earlier loads; `nil` where the pipeline keeps none.
    let beginnings: KeptBeginnings?
    private let codec: any ImageCoding

    init(
        transport: any HTTPTransporting,
        codec: any ImageCoding,
        disk: any TaskExecutor,
        configuration: PipelineConfiguration
    ) {
        memory = AdmissionGate(
            capacity: configuration.encodedBytes.bytes,
            keptBack: configuration.encodedBytes.bytes / 4
        )
        early = AdmissionGate(capacity: max(configuration.encodedBytes.bytes / 2, 1))
        leastShare = max(configuration.encodedBytes.bytes / 4 / max(configuration.connections, 1), 1)
        client = HTTPClient(
            transport,
            limits: configuration.clientLimits,
            accepts: configuration.acceptsURL ?? { _ in true }
        )
        clock = PipelineClock(configuration.clock)
        spoolFolder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        judge = CacheJudge(configuration)
        growing = AdmissionGate(capacity: max(configuration.growingBytes.bytes, 1))
        beginningFiles = AdmissionGate(capacity: configuration.connections * 2)
        beginnings = KeptBeginnings(configuration, judge: judge, disk: disk, spoolFolder: spoolFolder)
        self.codec = codec
        self.disk = disk
        self.configuration = configuration
    }

    /// Makes the source complete on this machine, unless the version that is `known` is still the current one.
    ///
    /// - Throws: `SourceError` of the last attempt; `CancellationError`.
    func load(
        _ key: SourceKey,
        unless known: SourceVersion? = nil,
        priority: LivePriority,
        feed: SourceFeed
    ) async throws -> Delivery {
        let meter = LoadMeter()
        do {
            if case .web(let url) = key.place {
                let download = SourceDownload(
                    loader: self,
                    key: key,
                    priority: priority,
                    meter: meter,
                    feed: feed,
                    known: known
                )
                return try await fetch(url, download)
            }
            let body = try await local(key, priority)
            return .body(body, meter.receipt(byteCount: body.count))
        } catch let error as CalotypeError {
            throw meter.failure(error)
        } catch is Elsewhere {
            return try await load(key, priority: priority, feed: feed)
        }
    }

    private func fetch(_ url: WebURL, _ download: SourceDownload) async throws -> Delivery {
        let body = try await download.run(url)
        let receipt = download.meter.receipt(byteCount: body?.count ?? 0)
        if let body { return .body(body, receipt) }
        guard let version = receipt.version else { preconditionFailure("an answer without its head") }
        return .unchanged(version, receipt)
    }

    private func local(_ key: SourceKey, _ priority: LivePriority) async throws -> SourceBody.Product {
        switch key.place {
        case .local(.file(let path)):
            return SourceBody.Product(input: .file(path: path), count: try await fileSize(path, key.limits))
        case .local(.bytes(let bytes)):
            try key.limits.check(bytes.count)
            return SourceBody.Product(input: .bytes(bytes), count: bytes.count)
        case .local(.provided(let provider)):
            return try await provided(provider, key.limits, priority)
        case .local(.url), .web:
            preconditionFailure("what comes over the network is no local source")
        }
    }

    /// Admits complete bytes to memory.
    ///
    /// - Throws: `CancellationError` when cancelled while it waits for their share of memory.
    func product(of bytes: [UInt8], _ priority: LivePriority) async throws -> SourceBody.Product {
        let permit = try await memory.acquire(weight: bytes.count, priority: priority)
        return SourceBody.Product(input: .bytes(bytes), count: bytes.count, permit: permit)
    }

    /// What takes in a body for `key`, of which `length` is to come, if that is known.
    ///
    /// - Throws: `too_many_bytes`; `too_many_requests` where others take all the room that files may take which grow.
    func intake(for key: SourceKey, permit: Permit, _ length: ByteCount?) throws(CalotypeError) -> SourceBody
    {
        let grows = key.content == .growing
        var room: Permit?
        if grows {
            if let length { try key.limits.check(length.bytes) }
            room = growing.tryAcquire(weight: length?.bytes ?? Self.firstRoom)
            if room == nil { throw SpoolFile.noRoom }
        }
        return SourceBody(
            permit: permit,
            limits: key.limits,
            threshold: grows ? ByteCount(0) : configuration.spoolThreshold,
            prober: key.content == .picture ? codec : nil,
            spoolFolder: spoolFolder,
            disk: disk,
            room: room
        )
    }

    /// What a file that grows has of the room at first, where its length is not known.
    private static let firstRoom = ByteCount.mebibytes(1).bytes

    private func fileSize(_ path: String, _ limits: ImageLimits) async throws -> Int {
        try await disk.run {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else {
                throw CalotypeError(
                    .fileNotReadable,
                    "cannot read the file: \(unsafe String(cString: strerror(errno)))",
                    stage: .request
                )
            }
            return try limits.check(Int(status.st_size)).bytes
        }
    }

    private func provided(
        _ provider: ImageProvider,
        _ limits: ImageLimits,
        _ priority: LivePriority
    ) async throws -> SourceBody.Product {
        let bytes = try await bytes(of: provider)
        // A provider that does not heed the cancel comes back late: nobody wants what it brings.
        try Task.checkCancellation()
        try limits.check(bytes.count)
        // Only now: a provider that loads from this pipeline would wait for memory that other providers hold.
        return try await product(of: bytes, priority)
    }

    private func bytes(of provider: ImageProvider) async throws -> [UInt8] {
        do {
            return try await withTimeout(configuration.timeout, clock: configuration.clock) {
                try await Self.call(provider)
            }
        } catch is DeadlineExceeded {
            throw CalotypeError(
                .timeoutTotal,
                "the provider did not end within \(configuration.timeout)",
                stage: .body
            )
        }
    }

    /// Calls `provider`, whose own errors become `provider_failed`.
    private static func call(_ provider: ImageProvider) async throws -> [UInt8] {
        do {
            return try await provider.load()
        } catch let error where !(error is CalotypeError || error is CancellationError) {
            // What comes of a cancel is a cancel.
            try Task.checkCancellation()
            throw CalotypeError(.providerFailed, "the provider failed: \(error)", stage: .body, cause: error)
        }
    }
}
