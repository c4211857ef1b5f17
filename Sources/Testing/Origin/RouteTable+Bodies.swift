import CalotypeDigests

extension RouteTable {
    /// What takes the bodies of requests.
    static let bodyTakers: [Route] = [
        Route(
            "/receive",
            """
            Receives a body (POST, PUT, PATCH) and returns its length and SHA-256; with ?most=BYTES, longer \
            bodies get 413.
            """,
            response: receive
        ),
        Route("/receive-cut/PERCENT", "Receives PERCENT of a body, then closes the connection.") {
            try await receivePart($0)
            return ResponseScript(steps: [], ending: .close)
        },
        Route("/receive-reset/PERCENT", "Receives PERCENT of a body, then resets the connection.") {
            try await receivePart($0)
            return ResponseScript(steps: [], ending: .reset)
        },
        Route(
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
            throw Refusal(status: 413, message: "The body has \(length) bytes, more than \(most).")
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
        // In this order, so that a long body does not overflow.
        try await body.drop(length / 100 * percent + length % 100 * percent / 100)
    }
}

extension Call {
    /// The request's body and its length.
    ///
    /// - Throws: 411 where the length cannot be told.
    fileprivate func announcedBody() throws(Refusal) -> (RequestBody, Int) {
        guard let body, let length = body.length else {
            throw Refusal(status: 411, message: "The body's length must be told by Content-Length.")
        }
        return (body, length)
    }
}
