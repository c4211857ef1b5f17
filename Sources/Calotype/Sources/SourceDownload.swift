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
        var beginning = mayResume ? await loader.beginnings?.take(key) : nil
        do {
            return try await retrying(
                policy(allowance),
                clock: loader.configuration.clock,
                random: allowance.pause
            ) { attempt in
                LoadEvents.emit(.requested(attempt: attempt))
                return try await self.attempt(request, allowance, &beginning)
            }
        } catch {
            if let beginning { await loader.beginnings?.keep(beginning, for: key) }
            throw (error as? AttemptFailure)?.error ?? error
        }
    }

    private func request(_ url: WebURL) throws(CalotypeError) -> HTTPRequest {
        var request = HTTPRequest(url, addressPolicy: loader.configuration.addressPolicy)
        for field in loader.configuration.headers { try request.addHeader(field.name, field.value) }
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
    private var mayResume: Bool {
        let sent = loader.judge.sent(key.headers)
        return sent["Range"] == nil && sent["If-Range"] == nil
    }

    private func policy(_ allowance: TimeAllowance) -> RetryPolicy {
        RetryPolicy(maximumAttempts: loader.configuration.retries + 1) { error, _ in
            (error as? AttemptFailure)?.decision(allowance) ?? .stop
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
                return try await receive(response, requested, &beginning)
            }
        } catch let error as CalotypeError {
            throw AttemptFailure(error)
        }
    }

    private func receive(
        _ response: HTTPResponse,
        _ requested: WallTime,
        _ beginning: inout SourceBeginning?
    ) async throws -> SourceBody.Product? {
        let continuation = try beginning?.continuation(by: response)
        let version = try version(response, requested, continuation?.beginning.version)
        meter.note(version)
        if response.status == 304, known != nil { return nil }
        do {
            try response.requireSuccess()
            try requireWhole(response, continuation)
        } catch {
            throw AttemptFailure(error, retryAfter: response.retryAfter)
        }
        guard let permit = response.admission else {
            preconditionFailure("an answer without its permit for memory")
        }
        beginning = nil
        var body = loader.intake(for: key, permit: permit)
        defer { meter.note(body.facts) }
        let expected = continuation?.total ?? response.contentLength
        do {
            if let continuation { try await body.resume(continuation) } else { try body.expect(expected) }
            try await take(response.body, &body, of: expected)
            if let continuation { try body.check(total: continuation.total) }
        } catch {
            beginning = await rest(of: &body, version, expected, response, after: error)
            throw error
        }
        loader.estimate.record(body.count)
        return try body.finish()
    }

    /// Throws `protocol_error` for a part of the body that nobody has asked for.
    private func requireWhole(
        _ response: HTTPResponse,
        _ continuation: SourceBeginning.Continuation?
    ) throws(CalotypeError) {
        guard response.status == 206, continuation == nil, mayResume else { return }
        throw CalotypeError(
            .protocolError,
            "the origin sent a part of the picture, without being asked for one",
            stage: .response,
            url: response.url.text
        )
    }

    private func take(_ stream: BodyStream, _ body: inout SourceBody, of expected: ByteCount?) async throws {
        if body.count > 0 { feed.advance(to: body.count, of: expected, body.facts, prefix: body.prefix) }
        for try await chunk in stream {
            try await body.append(chunk)
            feed.advance(to: body.count, of: expected, body.facts, prefix: body.prefix)
        }
    }

    /// What is left of a body that `error` has ended, if another attempt, or a later load, may go on from there.
    private func rest(
        of body: inout SourceBody,
        _ version: SourceVersion,
        _ expected: ByteCount?,
        _ response: HTTPResponse,
        after error: any Error
    ) async -> SourceBeginning? {
        let point = ResumePoint(
            count: ByteCount(body.count),
            total: expected,
            validators: version.response.validators,
            contentEncoding: response.headers["Content-Encoding"]
        )
        guard let point, mayResume, [200, 203].contains(version.response.status), isCut(error, point.count)
        else { return nil }
        // What cannot be put aside is loaded again.
        guard let file = try? await body.park() else { return nil }
        return SourceBeginning(file: file, version: version, point: point)
    }

    private func isCut(_ error: any Error, _ count: ByteCount) -> Bool {
        let outlasts = loader.beginnings?.isWorthKeeping(count) ?? false
        guard let error = error as? CalotypeError else { return error is CancellationError && outlasts }
        return SourceBeginning.cuts.contains(error.code) && (outlasts || loader.configuration.retries > 0)
    }

    /// The version that `response` is about; `begun` is the one that it continues.
    ///
    /// - Throws: `Elsewhere` where it is about another than the known one, `Useless` where it is about another than
    ///   `begun`.
    private func version(
        _ response: HTTPResponse,
        _ requested: WallTime,
        _ begun: SourceVersion?
    ) throws -> SourceVersion {
        let received = loader.configuration.wallClock()
        let sent = loader.judge.sent(key.headers)
        let base = begun ?? (response.status == 304 ? known : nil)
        guard let base else {
            let stored = StoredResponse(
                status: response.status,
                headers: response.headers,
                request: sent,
                requestTime: requested,
                responseTime: received
            )
            return version(stored, response)
        }
        let renewed = base.response.updated(
            by: response.headers,
            request: sent,
            requestTime: requested,
            responseTime: received
        )
        // A validator means something only where it came from.
        if let renewed, base.url == response.url.text { return version(renewed, response) }
        if begun != nil { throw SourceBeginning.Useless() }
        throw SourceLoader.Elsewhere()
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
