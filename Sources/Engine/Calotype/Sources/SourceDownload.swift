import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// Downloads one source, in several attempts if needed, within its time, length and share of memory.
struct SourceDownload {
    /// The outcome of one request.
    enum Outcome: Sendable {
        case body(SourceBody.Product)
        /// The known version is still current.
        case unchanged
        /// The response matches neither the known version nor the beginning's.
        ///
        /// The next request must not name it.
        case mismatch(Condition)
    }

    /// What a request may name in order to receive less than the whole body.
    enum Condition: Sendable {
        case known, beginning
    }

    /// What the downloads of a pipeline share.
    ///
    /// An object, because each waiting download holds it several times.
    final class Services: Sendable {
        let client: HTTPClient
        let memory: SourceMemory
        let intake: SourceIntake
        let beginnings: SourceBeginnings
        let judge: CacheJudge
        let clock: Stopwatch
        let configuration: PipelineConfiguration

        init(
            _ client: HTTPClient,
            memory: SourceMemory,
            intake: SourceIntake,
            beginnings: SourceBeginnings,
            judge: CacheJudge,
            clock: Stopwatch,
            configuration: PipelineConfiguration
        ) {
            self.client = client
            self.memory = memory
            self.intake = intake
            self.beginnings = beginnings
            self.judge = judge
            self.clock = clock
            self.configuration = configuration
        }
    }

    let services: Services
    let key: SourceKey
    let priority: LivePriority
    let meter: LoadMeter
    let feed: SourceArrival
    /// The cached version.
    ///
    /// If it is still current, the origin does not send its body again.
    let known: SourceVersion?

    /// Downloads the body at `url`.
    ///
    /// - Throws: `CalotypeError` of the last attempt; `CancellationError`.
    func run(_ url: WebURL) async throws -> Outcome {
        let allowance = TimeAllowance(services.configuration.timeout)
        let request = try request(url)
        var beginning = keepsBeginning ? await services.beginnings.find(key) : nil
        do {
            return try await retrying(
                policy(allowance),
                clock: services.configuration.clock,
                random: allowance.pause
            ) { attempt in
                LoadEvents.emit(.requested(attempt: attempt))
                return try await self.attempt(request, allowance, &beginning)
            }
        } catch {
            if keepsBeginning, let beginning { await services.beginnings.keep(beginning, for: key) }
            throw error
        }
    }

    private func request(_ url: WebURL) throws(CalotypeError) -> HTTPRequest {
        var request = HTTPRequest(
            url,
            addressPolicy: key.addressPolicy ?? services.configuration.addressPolicy
        )
        for field in services.configuration.headers { try request.addHeader(field.name, field.value) }
        for field in key.headers { try request.addHeader(field.name, field.value) }
        // So that no cache on the way responds.
        if known == nil, key.cachePolicy == .reload { try request.addHeader("Cache-Control", "no-cache") }
        request.limits.bodyBytes = key.limits.sourceBytes
        return request
    }

    /// Returns the fields that request only the rest, or the body only if it has changed.
    private func conditions(_ beginning: SourceBeginning?) -> [HeaderField] {
        if let beginning { return beginning.point.fields }
        return known?.response.validators.conditionalFields ?? []
    }

    /// Whether we may add a `Range` header (`false` if the caller set one).
    var mayResume: Bool {
        let sent = services.judge.sent(key.headers)
        return sent["Range"] == nil && sent["If-Range"] == nil
    }

    /// Whether a beginning may outlast the load.
    ///
    /// On its way to the store it would be in memory as a whole.
    var keepsBeginning: Bool { mayResume && key.content != .growing }

    private static let passing: Set<ErrorCode> = [
        .connectFailed, .connectionReset, .timeoutConnect, .timeoutHeaders, .timeoutIdle, .tooSlow,
        .truncatedBody, .resourceShortage,
        .http(status: 429),
    ]

    private static let ofHosts: Set<ErrorCode> = [
        .connectFailed, .connectionReset, .timeoutConnect, .http(status: 429), .http(status: 503),
    ]

    /// Retries if another attempt may succeed within the remaining time.
    private func policy(_ allowance: TimeAllowance) -> RetryPolicy {
        RetryPolicy(maximumAttempts: services.configuration.retries + 1) { [key, meter, services] error, _ in
            guard let code = (error as? CalotypeError)?.code, !meter.isFinal else { return .stop }
            // A rate-limited interface has said so. Querying it again immediately makes it worse.
            if key.content == .document, code == .http(status: 429) { return .stop }
            guard services.configuration.retriesBusyHosts || !Self.ofHosts.contains(code) else {
                return .stop
            }
            guard Self.passing.contains(code) || code.rawValue.hasPrefix("http_5") else { return .stop }
            guard let retryAfter = meter.response?.retryAfter else {
                return allowance.remaining > .zero ? .retry : .stop
            }
            guard retryAfter < allowance.remaining else { return .stop }
            allowance.charge(retryAfter)
            return .retryAfter(retryAfter)
        }
    }

    /// Sends one request for the rest or the whole; a second one if the first response was of no use.
    private func attempt(
        _ request: HTTPRequest,
        _ allowance: TimeAllowance,
        _ beginning: inout SourceBeginning?
    ) async throws -> Outcome {
        let outcome = try await exchange(request, allowance, &beginning)
        guard case .mismatch(.beginning) = outcome else { return outcome }
        await services.beginnings.forget(beginning)
        beginning = nil
        return try await exchange(request, allowance, &beginning)
    }

    /// Performs one request, from its wait for permits to the end of its body.
    private func exchange(
        _ request: HTTPRequest,
        _ allowance: TimeAllowance,
        _ beginning: inout SourceBeginning?
    ) async throws -> Outcome {
        var request = request
        for field in conditions(beginning) { try request.addHeader(field.name, field.value) }
        let requested = services.configuration.wallClock()
        request.timeouts.total = allowance.remaining
        let stopwatch = AttemptStopwatch(meter, allowance, services.clock)
        let share = SourceMemory.EarlyShare(services.memory, priority, isSpooled: key.content == .growing)
        defer {
            share.originResponded()
            stopwatch.stop()
        }
        do {
            return try await services.client.withConnection(
                for: request,
                priority: priority,
                onStep: stopwatch.passed
            ) {
                let permit = try await share.acquire()
                return try await $0.withResponse { response in
                    stopwatch.answered(response.timings)
                    defer { stopwatch.finish(response.timings) }
                    share.originResponded()
                    return try await receive(response, permit, requested, &beginning)
                }
            }
        } catch let error as CalotypeError {
            stopwatch.fail()
            throw error
        }
    }
}
