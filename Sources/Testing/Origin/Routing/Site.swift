import CalotypeCodec
import CalotypeCore
import CalotypeHTTPMessages
import CalotypeSamplePictures
import CalotypeStore
import TaskFlow

/// The state that the routes of one origin share.
final class Site: Sendable {
    /// The maximum number of paths whose first requests are remembered.
    ///
    /// Beyond it all are forgotten.
    private static let largestFirstCount = 10_000
    /// The cache size for drawn icons, screenshots and robots.
    private static let memory = ByteCount.mebibytes(96)

    let pictures: any PictureServing
    let faults: FaultPlan
    /// The Cache-Control of pictures.
    let cacheControl: String?
    let baseURL: String
    let tally: Tally
    /// The executor that draws.
    let drawing: ThreadExecutor
    /// Encodes drawings and scales pictures down.
    ///
    /// Without one, drawings are PNG.
    let codec: (any ImageCoding)?
    /// The received media, posts and requests.
    let reception: Reception
    private let firsts = Guarded<[String: Int]>([:])
    private let collection: AppStoreCollection
    /// Created on first use.
    private let shelf = Guarded<AppStoreShelf?>(nil)
    private let allowance: Guarded<RequestAllowance>
    /// The allowances of `/limited/N`, by N.
    private let limits = Guarded<[Int: RequestAllowance]>([:])
    /// The text of `/robots.txt`.
    let robots: String?
    private let kept = MemoryCache<String, ServedPicture>(limits: .encoded(memory)) {
        ByteCount($0.bytes.count)
    }

    init(
        _ configuration: OriginConfiguration,
        _ baseURL: String,
        drawing: ThreadExecutor,
        storing: ThreadExecutor
    ) {
        codec = configuration.codec
        collection = configuration.apps
        allowance = Guarded(RequestAllowance(limit: configuration.apiLimit, span: .seconds(60)))
        robots = configuration.robots
        pictures = configuration.pictures
        faults = configuration.faults
        cacheControl = configuration.cacheControl
        self.baseURL = baseURL
        self.drawing = drawing
        tally = Tally()
        reception = Reception(configuration, executor: storing, tally: tally)
    }

    /// Returns whether a request for `path` is among the first `count`, which some faults treat differently.
    func isAmongFirst(_ count: Int, for path: String) -> Bool {
        firsts.withLock { firsts in
            if firsts.count >= Self.largestFirstCount { firsts = [:] }
            let past = firsts[path, default: 0]
            if past < count { firsts[path] = past + 1 }
            return past < count
        }
    }

    /// The apps that a search can find.
    var apps: AppStoreShelf {
        // Created once, under the lock: hundreds of apps take some milliseconds.
        shelf.withLock { shelf in
            let apps = shelf ?? AppStoreShelf(collection)
            shelf = apps
            return apps
        }
    }

    /// Returns whether another search is allowed in this minute.
    func admitsSearch() -> Bool {
        allowance.withLock { $0.admits(.now) }
    }

    /// Returns whether another picture is allowed in this second.
    func admitsPicture(limit: Int) -> Bool {
        limits.withLock { limits in
            limits[limit, default: RequestAllowance(limit: limit, span: .seconds(1))].admits(.now)
        }
    }

    /// Returns the picture cached under `key`.
    ///
    /// If there is none, calls `make` and caches the result.
    func kept(
        _ key: String,
        _ make: @Sendable () async throws -> ServedPicture
    ) async throws -> ServedPicture {
        if let picture = kept.value(for: key) { return picture }
        let picture = try await make()
        kept.replaceValue(picture, for: key)
        return picture
    }

    /// Returns the script for the response to `request`, whose path is that of `match`.
    ///
    /// - Throws: `CancellationError`, or `OriginError.hangUp` if the client ends its request early. Any other
    ///   error becomes a response.
    func answer(
        _ request: RequestHead,
        _ match: RouteMatch?,
        _ body: RequestBody
    ) async throws -> ResponseScript {
        guard let match else {
            let isReading = ["GET", "HEAD"].contains(request.method)
            guard isReading else { return Response.refusal(listing: ["GET", "HEAD"]).script() }
            return Response.text("Not found; see / for all paths.", status: 404).script()
        }
        if let refusal = match.route.refusal(of: request.method) { return refusal.script() }
        let call = Call(site: self, request: request, values: match.values, body: body)
        let script = try await perform(match, call)
        return request.method == "HEAD" ? script.withoutBody() : script
    }

    private func perform(_ match: RouteMatch, _ call: Call) async throws -> ResponseScript {
        do {
            return try await match.route.respond(call)
        } catch OriginError.refused(let response) {
            return response.script()
        } catch is CancellationError {
            throw CancellationError()
        } catch OriginError.hangUp {
            throw OriginError.hangUp
        } catch {
            return Response.text("The image could not be created: \(error)", status: 500).script()
        }
    }

    /// Returns the response with `content`, subject to the fault plan.
    func answerUnderFaults(
        _ call: Call,
        _ content: @escaping @Sendable (Call) async throws -> ServedPicture
    ) async throws -> ResponseScript {
        let verdict = faults.verdict(for: call.faultKey)
        var script = try await script(call, verdict.fault, content)
        if verdict.latency > .zero { script.steps.insert(.pause(verdict.latency), at: 0) }
        return script
    }

    /// Returns the response with `content`, changed by `fault`.
    func script(
        _ call: Call,
        _ fault: FaultPlan.Fault?,
        _ content: @escaping @Sendable (Call) async throws -> ServedPicture
    ) async throws -> ResponseScript {
        guard let fault else {
            return try PictureResponse.make(try await content(call), for: call).script()
        }
        let path = fault.path(for: PercentEscapes.encodedPath(call.values["NAME"] ?? ""))
        for route in RouteTable.misbehaviours {
            guard let values = route.match(path) else { continue }
            let spoilt = Call(site: self, request: call.request, values: values) { try await content(call) }
            return try await route.respond(spoilt)
        }
        preconditionFailure("the fault \(fault.word) has no route")
    }
}

extension ResponseScript {
    /// Returns the response to HEAD: everything up to the end of the head.
    func withoutBody() -> ResponseScript {
        let head = steps.firstIndex { step in
            if case .send = step { true } else { false }
        }
        guard let head else { return self }
        return ResponseScript(status: status, steps: Array(steps[...head]), ending: ending)
    }
}
