internal import CalotypeCore
internal import CalotypeHTTP

/// Signs and sends the requests of a destination, and reads the responses.
struct S3Client: Sendable {
    let destination: S3Destination
    let client: PublishClient

    init(_ destination: S3Destination, _ client: PublishClient) {
        self.destination = destination
        self.client = client
    }

    /// Sends a request, and repeats it once for each reason that made its signature outdated.
    ///
    /// - Throws: What the transport throws, its URL without query; what the source of credentials throws.
    func send(_ call: S3Call) async throws -> S3Response {
        var corrected: Set<S3Correction> = []
        while true {
            let credentials = destination.identity.credentials
            let signed = destination.identity.time(client.time)
            let response = S3Response(try await exchange(try request(call, credentials, at: signed)))
            let server = HTTPDate.moment(response.response.headers["Date"], now: signed)
            guard let correction = S3Correction(response, to: call, server: server, signed: signed),
                corrected.insert(correction).inserted,
                try await apply(correction, server, signed, credentials)
            else { return response }
        }
    }

    /// Applies a correction, and returns whether it changes the next signature.
    private func apply(
        _ correction: S3Correction,
        _ server: WallTime?,
        _ signed: WallTime,
        _ credentials: S3Credentials
    ) async throws -> Bool {
        switch correction {
        case .clock:
            server.map { destination.identity.adopt($0, at: client.time, insteadOf: signed) } ?? false
        case .expiry: destination.signing != .headers
        case .session: try await destination.identity.refresh(credentials)
        }
    }

    private func exchange(_ request: HTTPRequest) async throws -> PublishResponse {
        do {
            return try await client.send(request, limit: .mebibytes(2))
        } catch var error as CalotypeError {
            // If the signature is in the query, anyone who can read the error could use it.
            error.url = error.url?.urlWithoutQuery
            if error.code == .invalidRedirect {
                error.message = "the bucket is in another region; use that region's endpoint"
            }
            throw error
        }
    }

    // MARK: Signing

    func request(
        _ call: S3Call,
        _ credentials: S3Credentials,
        at moment: WallTime
    ) throws(CalotypeError) -> HTTPRequest {
        let signer = SigV4Signer(credentials: credentials, region: destination.region)
        let location = destination.location
        var signed = SigV4Request(
            method: call.method,
            host: location.host,
            path: location.path(call.key),
            query: call.query,
            headers: call.headers,
            payload: call.payload
        )
        var query = signed.canonicalQuery
        switch destination.signing {
        case .headers:
            signed.headers.append(HeaderField("x-amz-content-sha256", call.payload.text))
            signed.headers += try signer.headers(for: signed, at: moment)
        case .query(let expires):
            try S3Destination.check(expires)
            query = try signer.query(for: signed, at: moment, expires: expires)
        }
        let url = try location.url(call.key, query: query)
        return try Self.request(call, url, signed.headers)
    }

    private static func request(
        _ call: S3Call,
        _ url: WebURL,
        _ fields: [HeaderField]
    ) throws(CalotypeError) -> HTTPRequest {
        var request = HTTPRequest(url, method: call.method, body: call.body)
        for field in fields { try request.addHeader(field.name, field.value) }
        request.progress = call.progress
        if call.isSlow {
            request.timeouts.headers = .seconds(600)
            request.timeouts.idle = .seconds(120)
            request.timeouts.minimumRate = ByteCount(0)
        }
        return request
    }
}

/// One request to a bucket, before it is signed.
struct S3Call: Sendable {
    var method: HTTPMethod
    /// The object's key; `nil` for the bucket itself.
    var key: String?
    var query: [SigV4Request.QueryItem] = []
    var headers: [HeaderField] = []
    var body = HTTPBody.none
    /// How the signature covers the body.
    var payload = SigV4Request.Payload.empty
    var progress: SendProgress?
    /// Whether the server may take minutes, and send a blank now and then in the meantime.
    var isSlow = false

    init(_ method: HTTPMethod, _ key: String?, _ query: SigV4Request.QueryItem...) {
        self.method = method
        self.key = key
        self.query = query
    }
}
