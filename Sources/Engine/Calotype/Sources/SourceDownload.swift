import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// One source's way over the network: attempt by attempt, within its time, its length and its share of memory.
struct SourceDownload {
    let client: HTTPClient
    let memory: SourceMemory
    let intake: SourceIntake
    let beginnings: SourceBeginnings
    let judge: CacheJudge
    let clock: PipelineClock
    let configuration: PipelineConfiguration
    let key: SourceKey
    let priority: LivePriority
    let meter: LoadMeter
    let feed: SourceFeed
    /// The version that is kept: if it is still the current one, its body is not sent again.
    let known: SourceVersion?

    /// Downloads the body at `url`; `nil` where the known version is still the current one.
    ///
    /// - Throws: `CalotypeError` of the last attempt; `CancellationError`.
    func run(_ url: WebURL) async throws -> SourceBody.Product? {
        let allowance = TimeAllowance(configuration.timeout)
        let request = try request(url)
        var beginning = keepsBeginning ? await beginnings.find(key) : nil
        do {
            return try await retrying(
                policy(allowance),
                clock: configuration.clock,
                random: allowance.pause
            ) { attempt in
                LoadEvents.emit(.requested(attempt: attempt))
                return try await self.attempt(request, allowance, &beginning)
            }
        } catch {
            if keepsBeginning, let beginning { await beginnings.keep(beginning, for: key) }
            throw (error as? AttemptError)?.error ?? error
        }
    }

    private func request(_ url: WebURL) throws(CalotypeError) -> HTTPRequest {
        var request = HTTPRequest(
            url,
            addressPolicy: key.addressPolicy ?? configuration.addressPolicy
        )
        for field in configuration.headers { try request.addHeader(field.name, field.value) }
        for field in key.headers { try request.addHeader(field.name, field.value) }
        // For an answer that no cache on the way has.
        if known == nil, key.cachePolicy == .reload { try request.addHeader("Cache-Control", "no-cache") }
        request.limits.bodyBytes = key.limits.sourceBytes
        return request
    }

    /// The fields that ask for the rest only, or for the body only if there is a reason to send it.
    private func conditions(_ beginning: SourceBeginning?) -> [HeaderField] {
        if let beginning { return beginning.point.fields }
        return known?.response.validators.conditionalFields ?? []
    }

    /// Whether the ranges of the source are ours to ask for.
    var mayResume: Bool {
        let sent = judge.sent(key.headers)
        return sent["Range"] == nil && sent["If-Range"] == nil
    }

    /// Whether a beginning may outlast the load: it would be in memory as a whole on its way to the store.
    var keepsBeginning: Bool { mayResume && key.content != .growing }

    private func policy(_ allowance: TimeAllowance) -> RetryPolicy {
        RetryPolicy(maximumAttempts: configuration.retries + 1) { error, _ in
            guard let failure = error as? AttemptError else { return .stop }
            // Who asks an interface too often is told so; asking it again at once makes it worse.
            if key.content == .document, failure.error.code == .http(status: 429) { return .stop }
            return failure.decision(allowance)
        }
    }

    /// One request for the rest of what is there or for the whole; two where the first brought nothing of use.
    private func attempt(
        _ request: HTTPRequest,
        _ allowance: TimeAllowance,
        _ beginning: inout SourceBeginning?
    ) async throws -> SourceBody.Product? {
        do {
            return try await exchange(request, allowance, &beginning)
        } catch is SourceBeginning.Useless {
            await beginnings.forget(beginning)
            beginning = nil
            return try await exchange(request, allowance, &beginning)
        }
    }

    /// One request, from its wait for permits to the end of its body.
    private func exchange(
        _ request: HTTPRequest,
        _ allowance: TimeAllowance,
        _ beginning: inout SourceBeginning?
    ) async throws -> SourceBody.Product? {
        var request = request
        for field in conditions(beginning) { try request.addHeader(field.name, field.value) }
        let requested = configuration.wallClock()
        request.timeouts.total = allowance.remaining
        let stopwatch = AttemptStopwatch(meter, allowance, clock)
        let share = SourceMemory.EarlyShare(memory, priority, isSpooled: key.content == .growing)
        defer {
            share.originResponded()
            stopwatch.stop()
        }
        do {
            return try await client.withConnection(for: request, priority: priority, onStep: stopwatch.passed)
            {
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
            throw AttemptError(error)
        } catch let failure as AttemptError {
            stopwatch.fail()
            throw failure
        }
    }
}

/// Why one request for a source failed, and when the origin wants to be asked again.
struct AttemptError: Error {
    let error: CalotypeError
    let retryAfter: Duration?
    /// Whether no other attempt is of use: what came of this one was passed on, and cannot be taken back.
    let isFinal: Bool

    init(_ error: CalotypeError, retryAfter: Duration? = nil, isFinal: Bool = false) {
        self.error = error
        self.retryAfter = retryAfter
        self.isFinal = isFinal
    }

    private static let passing: Set<ErrorCode> = [
        .connectFailed, .connectionReset, .timeoutConnect, .timeoutHeaders, .timeoutIdle, .tooSlow,
        .truncatedBody, .resourceShortage,
        .http(status: 429),
    ]

    /// Whether another attempt may succeed within what is left of the time.
    func decision(_ allowance: TimeAllowance) -> RetryPolicy.Decision {
        guard !isFinal, Self.passing.contains(error.code) || error.code.rawValue.hasPrefix("http_5") else {
            return .stop
        }
        guard let retryAfter else { return allowance.remaining > .zero ? .retry : .stop }
        guard retryAfter < allowance.remaining else { return .stop }
        allowance.charge(retryAfter)
        return .retryAfter(retryAfter)
    }
}
