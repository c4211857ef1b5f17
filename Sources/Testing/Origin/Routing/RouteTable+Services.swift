import CalotypeHTTPMessages

extension RouteTable {
    /// Small services.
    ///
    /// Each has a prefix that a client can use instead of the real service's address.
    static let services: [OriginRoute] = [
        OriginRoute(
            "/search",
            """
            Apps that match all words of ?term=, as from the iTunes Search API; country, entity, limit up to \
            200.
            """,
            content: AppStoreService.search
        ),
        OriginRoute(
            "/lookup",
            "Apps with these numbers, ?id=N,N, or bundle IDs, ?bundleId=ID; country.",
            content: AppStoreService.lookup
        ),
        OriginRoute(
            "/apps/icons/ID/NAME",
            "An app's icon; NAME is 512x512bb.png or any size from 16 to 1024, also as jpg and webp.",
            content: AppStorePictures.icon
        ),
        OriginRoute(
            "/apps/screenshots/ID/N/NAME",
            "An app's screenshot; NAME is a size such as 392x696bb.png.",
            content: AppStorePictures.screenshot
        ),
        OriginRoute("/apps/pages/ID", "An app's page.", response: AppStoreWebPage.page),
        OriginRoute(
            "/albums/ID/photos",
            "The 50 photos of album 1 to 100 as JSON, as from JSONPlaceholder; ?broken=N breaks N of them.",
            content: AlbumService.photos
        ),
        OriginRoute(
            "/robots/NAME",
            """
            An image for a text, PNG, as from Robohash; ?set=set1 to set5, ?bgset=bg1 or bg2, ?size=WxH up to \
            1024. They can also come before the text, as in /robots/set_set4/bgset_bg1/NAME.
            """,
            content: RobotService.picture
        ),
        OriginRoute(
            "/people/users/ID",
            "User 1 to 100 as JSON: name, avatar, pictures, cards; ?broken=N breaks the last N pictures.",
            content: PeopleService.user
        ),
        OriginRoute(
            "/people/users/ID/certificates",
            "The user's certificates as JSON, each with an image.",
            content: PeopleService.certificates
        ),
        OriginRoute("/thumbs/thumbnails/ID", "Image 1 to 1000.", content: ThumbnailService.picture),
        OriginRoute(
            "/thumbs/thumbnails/ID/metadata",
            "The width and height for the image's thumbnail, as JSON.",
            content: ThumbnailService.metadata
        ),
    ]
}

extension OriginRoute {
    /// Creates a route whose responses are subject to the fault plan.
    init(
        _ pattern: String,
        _ summary: String,
        content: @escaping @Sendable (Call) async throws -> ServedPicture
    ) {
        self.init(
            pattern,
            summary,
            content: content,
            script: { try await $0.site.answerUnderFaults($0, content) }
        )
    }
}

extension RouteTable {
    /// The services below a path that selects a fault.
    static let spoiltServices = OriginRoute(
        "\(ServiceFault.prefix)/FAULT/PATH",
        "The response of PATH, such as search or albums/1/photos, with FAULT; see the service faults.",
        script: spoilt
    )

    private static let spoilt: @Sendable (Call) async throws -> ResponseScript = { call in
        guard let fault = call.values["FAULT"].flatMap(ServiceFault.init(parsing:)) else {
            let words = ServiceFault.help.map(\.word).joined(separator: ", ")
            throw OriginError.refusal(status: 400, message: "FAULT must be one of \(words).")
        }
        guard let match = match(call.values["PATH"] ?? ""), let content = match.route.content else {
            throw OriginError.refusal(status: 404, message: "PATH is not a service.")
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
