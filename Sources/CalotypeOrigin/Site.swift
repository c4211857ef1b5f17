import CalotypeCore
import TaskFlow

/// What the routes of one origin share.
final class Site: Sendable {
    /// The most paths whose first requests are remembered; then all are forgotten.
    private static let largestFirstCount = 10_000

    let pictures: any PictureServing
    let faults: FaultPlan
    /// What pictures say in Cache-Control.
    let cacheControl: String?
    let baseURL: String
    let tally: Tally
    /// Where what is drawn for a request is drawn.
    let drawing: ThreadExecutor
    private let firsts = Guarded<[String: Int]>([:])

    init(_ configuration: OriginConfiguration, _ baseURL: String, drawing: ThreadExecutor) {
        pictures = configuration.pictures
        faults = configuration.faults
        cacheControl = configuration.cacheControl
        self.baseURL = baseURL
        self.drawing = drawing
        tally = Tally()
    }

    /// Whether a request for `path` is among the first `count`, which are treated differently.
    func isAmongFirst(_ count: Int, for path: String) -> Bool {
        firsts.withLock { firsts in
            if firsts.count >= Self.largestFirstCount { firsts = [:] }
            let past = firsts[path, default: 0]
            if past < count { firsts[path] = past + 1 }
            return past < count
        }
    }

    /// What is done in answer to `request`.
    ///
    /// - Throws: `CancellationError` only; whatever else goes wrong is a response.
    func answer(_ request: RequestHead) async throws -> ResponseScript {
        guard request.method == "GET" || request.method == "HEAD" else {
            return Response.text("This origin answers GET and HEAD.", status: 405).script()
        }
        let script = try await answer(request, at: request.path)
        return request.method == "HEAD" ? script.withoutBody() : script
    }

    private func answer(_ request: RequestHead, at path: String) async throws -> ResponseScript {
        for route in RouteTable.routes {
            guard let values = route.match(path) else { continue }
            count(route.prefix)
            return try await perform(route, Call(site: self, request: request, values: values))
        }
        count("other")
        return Response.text("There is nothing here; / says what there is.", status: 404).script()
    }

    private func perform(_ route: Route, _ call: Call) async throws -> ResponseScript {
        do {
            return try await route.respond(call)
        } catch let refusal as Refusal {
            return Response.text(refusal.message, status: refusal.status).script()
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return Response.text("The picture could not be made: \(error)", status: 500).script()
        }
    }

    /// The answer with `content` under the plan of faults.
    func answerUnderFaults(
        _ call: Call,
        _ content: @escaping @Sendable (Call) async throws -> ServedPicture
    ) async throws -> ResponseScript {
        let verdict = faults.verdict(for: call.request.path)
        var script = try await script(call, verdict.fault, content)
        if verdict.latency > .zero { script.steps.insert(.pause(verdict.latency), at: 0) }
        return script
    }

    private func script(
        _ call: Call,
        _ fault: FaultPlan.Fault?,
        _ content: @escaping @Sendable (Call) async throws -> ServedPicture
    ) async throws -> ResponseScript {
        guard let fault else {
            return try PictureResponse.make(try await content(call), for: call).script()
        }
        let path = fault.path(for: PercentCoding.encoded(call.values["NAME"] ?? ""))
        for route in RouteTable.misbehaviours {
            guard let values = route.match(path) else { continue }
            let spoilt = Call(site: self, request: call.request, values: values) { try await content(call) }
            return try await route.respond(spoilt)
        }
        preconditionFailure("the fault \(fault.word) has no route")
    }

    private func count(_ prefix: String) {
        tally.count { $0.requestsByPrefix[prefix, default: 0] += 1 }
    }
}

extension ResponseScript {
    /// The answer to HEAD: everything up to the head.
    func withoutBody() -> ResponseScript {
        let head = steps.firstIndex { step in
            if case .send = step { true } else { false }
        }
        guard let head else { return self }
        return ResponseScript(status: status, steps: Array(steps[...head]), ending: ending)
    }
}
