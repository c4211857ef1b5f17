import CalotypeDigests
import CalotypeHTTPMessages

extension RouteTable {
    /// The routes that receive media and posts.
    static let receivers: [OriginRoute] = plainReceivers + mastodon

    /// A Mastodon server, with what publishing clients need.
    private static let mastodon: [OriginRoute] = [
        OriginRoute(
            "/api/v2/instance/",
            """
            Mastodon: the server's limits. This and the following paths require the token \
            \(MastodonService.token).
            """,
            receiving: MastodonService.instance
        ),
        // Some clients send the slash, some do not.
        OriginRoute(
            "/api/v1/instance/",
            "Mastodon: the same in version 1.",
            receiving: MastodonService.instance
        ),
        OriginRoute(
            "/api/v2/media",
            "Mastodon: accepts an attachment (POST); videos and sounds are processed for a while.",
            receiving: MastodonMedia.create
        ).taking("POST"),
        OriginRoute(
            "/api/v1/media",
            "Mastodon: the same in version 1, which responds when processing is complete.",
            receiving: MastodonMedia.create
        ).taking("POST"),
        OriginRoute(
            "/api/v1/media/ID",
            "Mastodon: shows whether an attachment is ready (GET), changes it (PUT) or deletes it (DELETE).",
            receiving: MastodonMedia.one
        ).taking("GET", "PUT", "DELETE"),
        OriginRoute("/media/ID/original", "Mastodon: an attachment.", receiving: MastodonMedia.contents),
        OriginRoute(
            "/api/v1/statuses",
            "Mastodon: accepts a status (POST), once for each Idempotency-Key.",
            receiving: MastodonStatuses.create
        ).taking("POST"),
        OriginRoute("/api/v1/statuses/ID", "Mastodon: a status.", receiving: MastodonStatuses.one)
            .taking("GET", "HEAD", "DELETE"),
        OriginRoute(
            "/api/v1/accounts/verify_credentials",
            "Mastodon: the account that the token belongs to.",
            receiving: MastodonService.account
        ),
        OriginRoute(
            "/api/v1/accounts/ID/statuses",
            "Mastodon: the statuses of account 1, newest first; limit up to 40, max_id, since_id.",
            receiving: MastodonService.accountStatuses
        ),
    ]

    /// Uploads and posts without the rules of a particular service.
    private static let plainReceivers: [OriginRoute] = [
        OriginRoute(
            "/inbox/NAME",
            "Receives and stores a media file (PUT, POST); GET returns it, DELETE deletes it.",
            receiving: InboxService.respond
        ).taking("GET", "HEAD", "PUT", "POST", "DELETE"),
        OriginRoute(
            "/tus/",
            """
            A tus 1.0 server: POST creates an upload. Extensions: creation-with-upload, expiration, \
            termination, checksum.
            """,
            receiving: TusService.respond
        ).taking("POST", "OPTIONS"),
        OriginRoute(
            "/tus/ID",
            """
            An upload: HEAD returns its offset, PATCH appends to it, DELETE ends it, GET returns it when it \
            is complete.
            """,
            receiving: TusService.respond
        ).taking("GET", "HEAD", "PATCH", "POST", "DELETE", "OPTIONS"),
        OriginRoute(
            "/posts",
            """
            Accepts a post as JSON (POST), once for each Idempotency-Key; ?no-keys=1 ignores keys. GET lists \
            the posts.
            """,
            receiving: PostService.all
        ).taking("GET", "HEAD", "POST"),
        OriginRoute("/posts/by-key/NAME", "The post that had this key.", receiving: PostService.byKey),
        OriginRoute("/posts/ID", "A post.", receiving: PostService.one).taking("GET", "HEAD", "DELETE"),
        OriginRoute("/received", "Everything received since the start, with digests and counts, as JSON.") {
            try .encoding($0.site.reception.received)
        },
    ]

    /// The receivers below a path that selects a fault.
    static let spoiltReceivers = OriginRoute(
        "\(PublishFault.prefix)/FAULT/PATH",
        "The receiver at PATH, such as posts or inbox/a.jpg, with FAULT; see the receiver faults.",
        script: spoilt
    ).taking("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

    private static let spoilt: @Sendable (Call) async throws -> ResponseScript = { call in
        let text = call.values["FAULT"].flatMap { PercentEscapes.decodedText($0) } ?? ""
        guard let faults = PublishFault.list(parsing: text) else {
            let words = PublishFault.help.map(\.word).joined(separator: "; ")
            throw OriginError.refusal(status: 400, message: "FAULT must be one of \(words).")
        }
        guard let match = match(call.values["PATH"] ?? ""), match.route.isReceiver else {
            throw OriginError.refusal(status: 404, message: "PATH is not a receiver.")
        }
        if let refusal = match.route.refusal(of: call.request.method) { throw OriginError.refused(refusal) }
        var inner = Call(site: call.site, request: call.request, values: match.values, body: call.body)
        inner.selected.faults = faults
        inner.selected.root = "\(PublishFault.prefix)/\(call.values["FAULT"] ?? "")"
        return try await match.route.respond(inner)
    }
}

extension OriginRoute {
    /// Creates a route that receives data, and to which publishing faults apply.
    init(
        _ pattern: String,
        _ summary: String,
        receiving act: @escaping @Sendable (Call) async throws -> ResponseScript
    ) {
        self.init(pattern, summary, script: { try await Receiving.script($0, act) })
        isReceiver = true
    }
}

extension RouteTable {
    /// The routes that read request bodies.
    static let bodyTakers: [OriginRoute] = [
        OriginRoute(
            "/receive",
            """
            Receives a body (POST, PUT, PATCH) and returns its length and SHA-256; with ?most=BYTES, longer \
            bodies get 413.
            """,
            response: receive
        ),
        OriginRoute("/receive-cut/PERCENT", "Receives PERCENT of a body, then closes the connection.") {
            try await receivePart($0)
            return ResponseScript(steps: [], ending: .close)
        },
        OriginRoute("/receive-reset/PERCENT", "Receives PERCENT of a body, then resets the connection.") {
            try await receivePart($0)
            return ResponseScript(steps: [], ending: .reset)
        },
        OriginRoute(
            "/receive-stall/PERCENT",
            "Receives PERCENT of a body, then stops reading; the connection stays open."
        ) {
            try await receivePart($0)
            return ResponseScript(steps: [.silence], ending: .close)
        },
    ].map { $0.taking("POST", "PUT", "PATCH") }

    private static let receive: @Sendable (Call) async throws -> Response = { call in
        let (body, length) = try call.announcedBody()
        if let most = call.request.query("most").flatMap({ Int($0) }), length > most {
            throw OriginError.refusal(
                status: 413,
                message: "The body has \(length) bytes; the limit is \(most)."
            )
        }
        var digest = try DigestStream(.sha256)
        while let piece = try await body.next() { try digest.update(piece) }
        let answer = JSONText.object([
            ("method", .text(call.request.method)), ("length", .whole(length)),
            ("sha256", .text(try digest.finish().hexadecimal)),
        ])
        return Response(
            status: 201,
            fields: [("Content-Type", "application/json")],
            body: Array((answer.text + "\n").utf8)
        )
    }

    private static func receivePart(_ call: Call) async throws {
        let percent = try call.number("PERCENT", in: 0...100)
        let (body, length) = try call.announcedBody()
        // In this order, the calculation does not overflow for a long body.
        try await body.drop(length / 100 * percent + length % 100 * percent / 100)
    }
}

extension Call {
    /// Returns the request's body and its length.
    ///
    /// - Throws: 411 if the length is unknown.
    fileprivate func announcedBody() throws(OriginError) -> (RequestBody, Int) {
        guard let body, let length = body.length else {
            throw OriginError.refusal(
                status: 411,
                message: "The request needs a Content-Length."
            )
        }
        return (body, length)
    }
}
