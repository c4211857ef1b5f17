extension RouteTable {
    /// The services under a fault that the path names.
    static let spoiltServices = Route(
        "\(ServiceFault.prefix)/FAULT/PATH",
        "The response of PATH, such as search or albums/1/photos, with FAULT; see the service faults.",
        script: spoilt
    )

    private static let spoilt: @Sendable (Call) async throws -> ResponseScript = { call in
        guard let fault = call.values["FAULT"].flatMap(ServiceFault.init(parsing:)) else {
            let words = ServiceFault.help.map(\.word).joined(separator: ", ")
            throw Refusal(status: 400, message: "FAULT is one of \(words).")
        }
        guard let match = match(call.values["PATH"] ?? ""), let content = match.route.content else {
            throw Refusal(status: 404, message: "There is nothing at PATH that could be spoilt.")
        }
        let inner = Call(site: call.site, request: call.request, values: match.values)
        if let count = fault.count, !call.site.isAmongFirst(count, for: call.request.target) {
            return try PictureResponse.make(try await content(inner), for: inner).script()
        }
        return try await script(inner, fault.kind, content)
    }

    private static func script(
        _ call: Call,
        _ kind: ServiceFault.Kind,
        _ content: @escaping @Sendable (Call) async throws -> ServedPicture
    ) async throws -> ResponseScript {
        var call = call
        switch kind {
        case .status(let status, let seconds):
            let fields = seconds.map { [("Retry-After", "\($0)")] } ?? []
            return Response(status: status, fields: fields).script()
        case .named(let name):
            return try await call.site.script(call, .named(name), content)
        case .latency(let milliseconds):
            var script = try PictureResponse.make(try await content(call), for: call).script()
            script.steps.insert(.pause(.milliseconds(milliseconds)), at: 0)
            return script
        case .odd(let way):
            call.document.oddity = way
        case .pictures(let fault):
            call.document.pictureFault = fault
        }
        return try PictureResponse.make(try await content(call), for: call).script()
    }
}
