import CalotypeCore
import CalotypeHTTP
import TaskFlow

extension SourceDownload {
    /// Receives the response to one request, in the memory that `permit` reserves.
    func receive(
        _ response: HTTPResponse,
        _ permit: Permit,
        _ requested: WallTime,
        _ beginning: inout SourceBeginning?
    ) async throws -> Outcome {
        var continuation: SourceBeginning.Continuation?
        switch beginning?.use(of: response) {
        case .rest(let rest): continuation = rest
        case .whole, nil: break
        case .nothing: return .mismatch(.beginning)
        }
        guard let version = version(response, requested, continuation?.beginning.version) else {
            return .mismatch(continuation == nil ? .known : .beginning)
        }
        meter.note(version)
        if response.status == 304, known != nil { return .unchanged }
        do {
            try response.requireSuccess()
            try requireWhole(response, continuation)
            try services.configuration.inspect?(response)
        } catch {
            meter.note(
                OriginResponse(
                    status: response.status,
                    retryAfter: response.retryAfter,
                    bodyBytes: response.contentLength
                )
            )
            throw error
        }
        feed.tell(version)
        if continuation == nil { await services.beginnings.forget(beginning) }
        beginning = nil
        if continuation == nil, feed.isGrowing {
            meter.noteFinal()
            throw Self.lostRest(response)
        }
        let expected = continuation?.total ?? response.contentLength
        // A continued body already has its file and its space.
        var body = try services.intake.body(
            key.content,
            key.limits,
            permit: permit,
            continuation == nil ? expected : ByteCount(0)
        )
        defer { meter.note(body.facts) }
        do {
            guard try await begin(&body, continuation, of: expected) else { return .mismatch(.beginning) }
            try await take(response.body, &body, of: expected)
            if let continuation { try body.check(total: continuation.total) }
        } catch {
            beginning = await rest(of: &body, version, expected, response, after: error)
            if beginning == nil, feed.isGrowing { meter.noteFinal() }
            throw error
        }
        if key.content != .growing { services.memory.record(body.count) }
        return .body(try body.finish())
    }

    /// The error for a source whose readers have its beginning, and whose rest the origin does not send.
    private static func lostRest(_ response: HTTPResponse) -> CalotypeError {
        CalotypeError(
            .truncatedBody,
            "the transfer was interrupted, and the origin did not continue with the same version",
            stage: .body,
            url: response.url.text
        )
    }

    /// Throws `protocol_error` for a partial response that was not requested.
    private func requireWhole(
        _ response: HTTPResponse,
        _ continuation: SourceBeginning.Continuation?
    ) throws(CalotypeError) {
        guard response.status == 206, continuation == nil, mayResume else { return }
        throw CalotypeError(
            .protocolError,
            "the origin sent only part of the image, although all of it was requested",
            stage: .response,
            url: response.url.text
        )
    }

    /// Prepares `body` for a new body, or for the rest of one.
    ///
    /// Returns `false` if the beginning is gone.
    private func begin(
        _ body: inout SourceBody,
        _ continuation: SourceBeginning.Continuation?,
        of expected: ByteCount?
    ) async throws -> Bool {
        guard let continuation else {
            try body.expect(expected)
            return true
        }
        let beginning = continuation.beginning
        guard let file = await services.beginnings.take(beginning) else { return false }
        do {
            try await body.resume(file, beginning.point.count.bytes, of: continuation.total)
        } catch let error as CalotypeError where error.code == .storageFailed {
            return false
        }
        return true
    }

    private func take(_ stream: BodyStream, _ body: inout SourceBody, of expected: ByteCount?) async throws {
        if body.count > 0 { feed.advance(to: body.count, of: expected, body.facts, prefix: body.prefix) }
        for try await chunk in stream {
            services.intake.count(chunk.count)
            try await body.append(chunk)
            if key.content == .growing, let file = body.spool { feed.grow(file) }
            feed.advance(to: body.count, of: expected, body.facts, prefix: body.prefix)
        }
    }

    /// Returns the part of a body that `error` has ended, if another attempt or a later load may continue it.
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
        // If it cannot be parked, it is loaded again.
        guard let place = await services.beginnings.park(&body) else { return nil }
        return SourceBeginning(place: place, version: version, point: point)
    }

    private func isCut(_ error: any Error, _ count: ByteCount) -> Bool {
        let outlasts = keepsBeginning && services.beginnings.isWorthKeeping(count)
        guard let error = error as? CalotypeError else { return error is CancellationError && outlasts }
        return SourceBeginning.cuts.contains(error.code) && (outlasts || services.configuration.retries > 0)
    }

    /// Returns the version of `response`; `begun` is the version that it continues.
    ///
    /// Returns `nil` if it is another version than `begun`, or, for a 304, than the known one.
    private func version(
        _ response: HTTPResponse,
        _ requested: WallTime,
        _ begun: SourceVersion?
    ) -> SourceVersion? {
        let received = services.configuration.wallClock()
        let sent = services.judge.sent(key.headers)
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
        // A validator is meaningful only for the URL that sent it.
        guard let renewed, base.url == response.url.text else { return nil }
        return version(renewed, response, base)
    }

    private func version(
        _ stored: StoredResponse,
        _ response: HTTPResponse,
        _ confirmed: SourceVersion? = nil
    ) -> SourceVersion {
        var sent = services.judge.sent(key.headers)
        if case .web(let url) = key.place, let authorization = url.authorization {
            sent.append(HeaderField("Authorization", authorization))
        }
        return SourceVersion(
            response: stored,
            url: response.url.text,
            isDetour: response.isDetour,
            isKeepable: services.judge.policy.isStorable(stored, request: sent),
            confirming: confirmed
        )
    }
}
