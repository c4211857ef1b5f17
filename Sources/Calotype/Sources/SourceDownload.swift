import CalotypeCore
import CalotypeHTTP
import TaskFlow

/// One source's way over the network: attempt by attempt, within its time, its length and its share of memory.
struct SourceDownload {
    let loader: SourceLoader
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
        let allowance = TimeAllowance(loader.configuration.timeout)
        let request = try request(url)
        do {
            return try await retrying(
                policy(allowance),
                clock: loader.configuration.clock,
                random: allowance.pause
            ) { attempt in
                LoadEvents.emit(.requested(attempt: attempt))
                return try await self.attempt(request, allowance)
            }
        } catch let failure as AttemptFailure {
            throw failure.error
        }
    }

    private func request(_ url: WebURL) throws(CalotypeError) -> HTTPRequest {
        var request = HTTPRequest(url, addressPolicy: loader.configuration.addressPolicy)
        for field in loader.configuration.headers { try request.addHeader(field.name, field.value) }
        for field in key.headers { try request.addHeader(field.name, field.value) }
        for field in condition { try request.addHeader(field.name, field.value) }
        request.limits.bodyBytes = key.limits.sourceBytes
        return request
    }

    /// The fields that ask for the body only if there is a reason to send it, or for one that no cache on the way has.
    private var condition: [HeaderField] {
        if let known { return known.response.validators.conditionalFields }
        return key.cachePolicy == .reload ? [HeaderField("Cache-Control", "no-cache")] : []
    }

    private func policy(_ allowance: TimeAllowance) -> RetryPolicy {
        RetryPolicy(maximumAttempts: loader.configuration.retries + 1) { error, _ in
            (error as? AttemptFailure)?.decision(allowance) ?? .stop
        }
    }

    /// One request, from its wait for permits to the end of its body.
    private func attempt(
        _ request: HTTPRequest,
        _ allowance: TimeAllowance
    ) async throws -> SourceBody.Product? {
        var request = request
        let requested = loader.configuration.wallClock()
        request.timeouts.total = allowance.remaining
        let stopwatch = AttemptStopwatch(meter, allowance, loader.clock)
        defer { stopwatch.stop() }
        do {
            return try await loader.client.withResponse(to: request, priority: priority) {
                try await loader.memory.acquire(weight: loader.estimate.reservation, priority: priority)
            } onSend: {
                stopwatch.start(after: $0)
            } _: { response in
                defer { stopwatch.finish(response.timings) }
                return try await receive(response, requested)
            }
        } catch let error as CalotypeError {
            throw AttemptFailure(error)
        }
    }

    private func receive(
        _ response: HTTPResponse,
        _ requested: WallTime
    ) async throws -> SourceBody.Product? {
        meter.note(try version(response, requested))
        if response.status == 304, known != nil { return nil }
        do {
            try response.requireSuccess()
        } catch {
            throw AttemptFailure(error, retryAfter: response.retryAfter)
        }
        guard let permit = response.admission else {
            preconditionFailure("an answer without its permit for memory")
        }
        var body = loader.intake(for: key, permit: permit)
        defer { meter.note(body.facts) }
        let expected = response.contentLength
        if let expected { try body.expect(expected.bytes) }
        for try await chunk in response.body {
            try await body.append(chunk)
            feed.advance(to: body.count, of: expected, body.facts, prefix: body.prefix)
        }
        loader.estimate.record(body.count)
        return try body.finish()
    }

    /// The version that `response` is about.
    ///
    /// - Throws: `Elsewhere` where it is about another than the known one.
    private func version(
        _ response: HTTPResponse,
        _ requested: WallTime
    ) throws(SourceLoader.Elsewhere) -> SourceVersion {
        let received = loader.configuration.wallClock()
        let sent = loader.judge.sent(key.headers)
        guard response.status == 304, let known else {
            let stored = StoredResponse(
                status: response.status,
                headers: response.headers,
                request: sent,
                requestTime: requested,
                responseTime: received
            )
            return version(stored, response)
        }
        let renewed = known.response.updated(
            by: response.headers,
            request: sent,
            requestTime: requested,
            responseTime: received
        )
        // A validator means something only where it came from.
        guard let renewed, known.url == response.url.text else { throw SourceLoader.Elsewhere() }
        return version(renewed, response)
    }

    private func version(_ stored: StoredResponse, _ response: HTTPResponse) -> SourceVersion {
        var sent = loader.judge.sent(key.headers)
        if case .web(let url) = key.place, let authorization = url.authorization {
            sent.append(HTTPHeaders.Field(unchecked: "Authorization", authorization))
        }
        return SourceVersion(
            response: stored,
            url: response.url.text,
            isDetour: response.isDetour,
            isKeepable: loader.judge.policy.isStorable(stored, request: sent)
        )
    }
}
