import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypePlatform
import CalotypeStore
import TaskFlow

/// Loads a source's bytes from wherever they are.
struct SourceLoader: Sendable {
    /// The outcome of a load.
    indirect enum Delivery: Sendable {
        case body(SourceBody.Product, SourceReceipt)
        /// The known version is still current; its freshness is renewed.
        case unchanged(SourceVersion, SourceReceipt)
        /// `absence` is the origin's response that the source does not exist, if that is the error.
        case failed(CalotypeError, absence: SourceVersion?)
    }

    private let services: SourceDownload.Services
    private let disk: any TaskExecutor

    init(
        _ client: HTTPClient,
        memory: SourceMemory,
        intake: SourceIntake,
        judge: CacheJudge,
        disk: any TaskExecutor,
        clock: Stopwatch,
        configuration: PipelineConfiguration
    ) {
        self.disk = disk
        services = SourceDownload.Services(
            client,
            memory: memory,
            intake: intake,
            beginnings: SourceBeginnings(configuration, judge: judge, disk: disk),
            judge: judge,
            clock: clock,
            configuration: configuration
        )
    }

    /// Removes the stored beginnings of the sources of a group, or of all if it is `nil`.
    func removeBeginnings(in group: StoreGroup?) async {
        await services.beginnings.removeAll(in: group)
    }

    /// Loads the complete source, unless the `known` version is still current.
    ///
    /// - Throws: `CancellationError`.
    func load(
        _ key: SourceKey,
        unless known: SourceVersion? = nil,
        priority: LivePriority,
        feed: SourceArrival
    ) async throws -> Delivery {
        let meter = LoadMeter()
        do {
            guard case .web(let url) = key.place else {
                let body = try await local(key, priority)
                return .body(body, meter.receipt(byteCount: body.count))
            }
            let download = SourceDownload(
                services: services,
                key: key,
                priority: priority,
                meter: meter,
                feed: feed,
                known: known
            )
            switch try await download.run(url) {
            case .body(let body): return .body(body, meter.receipt(byteCount: body.count))
            case .unchanged:
                guard let version = meter.version else { preconditionFailure("a response without its head") }
                return .unchanged(version, meter.receipt(byteCount: 0))
            case .mismatch: return try await load(key, priority: priority, feed: feed)
            }
        } catch let error as CalotypeError {
            return .failed(meter.failure(error), absence: meter.absence(error))
        }
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
    /// - Throws: `CancellationError` if cancelled while waiting for memory.
    func product(of bytes: [UInt8], _ priority: LivePriority) async throws -> SourceBody.Product {
        let permit = try await services.memory.admit(bytes.count, priority)
        return SourceBody.Product(input: .bytes(bytes), count: bytes.count, permit: permit)
    }

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
        if let upload = provider.held as? HeldUpload {
            let product = try upload.product
            try limits.check(product.count)
            return product
        }
        let bytes = try await bytes(of: provider)
        // A provider that ignores cancellation returns late, and its result is not wanted any more.
        try Task.checkCancellation()
        try limits.check(bytes.count)
        // Not earlier: a provider that loads from this pipeline would wait for memory that other providers
        // hold.
        return try await product(of: bytes, priority)
    }

    private func bytes(of provider: ImageProvider) async throws -> [UInt8] {
        do {
            return try await withTimeout(services.configuration.timeout, clock: services.configuration.clock)
            {
                try await Self.call(provider)
            }
        } catch TaskFlowError.Code.deadlineExceeded {
            throw CalotypeError(
                .timeoutTotal,
                "the provider did not finish within \(services.configuration.timeout)",
                stage: .body
            )
        }
    }

    /// Calls `provider`.
    ///
    /// Its own errors become `provider_failed`.
    private static func call(_ provider: ImageProvider) async throws -> [UInt8] {
        do {
            return try await provider.load()
        } catch let error where !(error is CalotypeError || error is CancellationError) {
            // An error caused by cancellation is a cancellation.
            try Task.checkCancellation()
            throw CalotypeError(.providerFailed, "the provider failed: \(error)", stage: .body, cause: error)
        }
    }
}
