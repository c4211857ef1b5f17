import CalotypeHTTPMessages
import TaskFlow

/// Handles requests to all receivers: records them and applies the faults in their path.
enum Receiving {
    /// Returns the script for the response of `act`, with the faults of the call.
    static func script(
        _ call: Call,
        _ act: @Sendable (Call) async throws -> ResponseScript
    ) async throws -> ResponseScript {
        let start = Timestamp.now()
        do {
            let script = try await spoilt(call, act)
            note(call, script.status, since: start)
            return script
        } catch OriginError.refused(let response) {
            note(call, response.status, since: start)
            throw OriginError.refused(response)
        } catch OriginError.bodyCut {
            note(call, nil, since: start)
            return ResponseScript(steps: [], ending: .close)
        } catch {
            note(call, nil, since: start)
            throw error
        }
    }

    private static func note(_ call: Call, _ status: Int?, since start: Double) {
        let entry = Received.Request(
            method: call.request.method,
            path: call.request.target,
            status: status,
            bytes: call.body?.taken ?? 0,
            key: call.request.headers["Idempotency-Key"],
            authorized: call.request.headers["Authorization"] != nil,
            at: start
        )
        call.site.reception.log.withLock { $0.add(entry) }
        call.site.reception.changed()
    }

    private static func spoilt(
        _ call: Call,
        _ act: @Sendable (Call) async throws -> ResponseScript
    ) async throws -> ResponseScript {
        for kind in call.struck(where: \.isRefusal) { try refuse(call, kind) }
        for kind in call.struck(where: \.isOfBody) { spoilBody(call, kind) }
        var script = try await act(call)
        for kind in call.struck(where: \.isOfAnswer) { spoilAnswer(kind, &script) }
        return script
    }

    private static func refuse(_ call: Call, _ kind: PublishFault.Kind) throws {
        switch kind {
        case .status(let status): throw OriginError.receiving(status, "Status \(status), as requested.")
        case .rateLimited(let seconds): throw OriginError.rateLimited(call, seconds: seconds)
        case .tooLong where call.request.bodyLength != 0:
            throw OriginError.receiving(413, "The body is too long, as requested.")
        default: break
        }
    }

    private static func spoilBody(_ call: Call, _ kind: PublishFault.Kind) {
        switch kind {
        case .cut(let percent): call.body?.end(afterPercent: percent, isSilent: false)
        case .stall: call.body?.end(afterPercent: 50, isSilent: true)
        case .slow(let rate): call.body?.slow(to: rate)
        default: break
        }
    }

    private static func spoilAnswer(_ kind: PublishFault.Kind, _ script: inout ResponseScript) {
        switch kind {
        case .latency(let milliseconds): script.steps.insert(.pause(.milliseconds(milliseconds)), at: 0)
        case .lostAnswer: script = ResponseScript(steps: [], ending: .close)
        default: break
        }
    }
}

extension PublishFault.Kind {
    /// Whether it replaces the response.
    var isRefusal: Bool {
        switch self {
        case .status, .rateLimited, .tooLong: true
        default: false
        }
    }

    /// Whether it strikes while the body is read.
    var isOfBody: Bool {
        switch self {
        case .cut, .stall, .slow: true
        default: false
        }
    }

    var isProcessing: Bool {
        if case .processing = self { true } else { false }
    }

    var isRate: Bool {
        if case .rate = self { true } else { false }
    }

    /// Whether it strikes after all else is done.
    var isOfAnswer: Bool {
        switch self {
        case .latency, .lostAnswer: true
        default: false
        }
    }
}

extension OriginError {
    /// Too many requests, in the form of Mastodon and of others.
    static func rateLimited(_ call: Call, seconds: Int) -> OriginError {
        let end = Timestamp.now() + Double(seconds)
        var fields = MastodonService.rateFields(limit: 300, left: 0, end: end)
        if !call.innerPath.hasPrefix("/api/") { fields.append(("Retry-After", "\(seconds)")) }
        return .receiving(429, "Too many requests", fields: fields)
    }
}

extension OriginError {
    /// Refuses a request with a JSON object that has the member `error`.
    static func receiving(
        _ status: Int,
        _ message: String,
        fields: [(name: String, value: String)] = []
    ) -> OriginError {
        var response = Response.json(JSONText.object([("error", .text(message))]), status: status)
        response.fields += fields
        return OriginError.refused(response)
    }
}

extension Response {
    /// Returns a JSON document that must not be cached.
    static func json(_ value: JSONText, status: Int = 200) -> Response {
        Response(
            status: status,
            fields: [("Content-Type", "application/json; charset=utf-8"), ("Cache-Control", "no-store")],
            body: Array((value.text + "\n").utf8)
        )
    }

    /// Returns a response without a body.
    static func bare(_ status: Int, _ fields: [(name: String, value: String)] = []) -> Response {
        Response(status: status, fields: fields)
    }
}
