internal import CalotypeCore
internal import CalotypeHTTP

/// One attempt at an upload.
///
/// It finds or creates the upload, and sends the bytes that the server does not have, in one or more
/// requests.
struct TusAttempt {
    typealias Machine = TusStateMachine

    let requests: TusRequests
    let medium: PreparedMedium
    let session: UploadSession
    /// The maximum number of bytes in one request.
    let pieceBytes: ByteCount
    /// Whether the request that creates the upload may carry the bytes.
    let sendsAtCreation: Bool

    var length: Int { medium.file.size.bytes }

    /// Returns the URL of the complete upload.
    func run() async throws -> WebURL {
        var machine = Machine(length: length, pieceBytes: pieceBytes.bytes)
        var (upload, url, action) = try await begin(&machine)
        while true {
            switch action {
            case .ask: action = machine.told(try await offset(of: url))
            case .send(let range): action = try await send(range, to: url, &upload, &machine)
            case .finish: return url
            case .fail(let reason): throw try await failure(reason, of: url)
            }
        }
    }

    private func offset(of url: WebURL) async throws -> Int {
        let response = try await session.client.send(try requests.offset(of: url))
        let offset = response.headers.tusOffset
        switch response.status {
        case 200..<300: break
        case 403 where offset == nil, 404, 410: throw response.tusLoss()
        default: throw response.tusFailure("check how much of \(medium.name) has arrived")
        }
        // A proxy may have responded instead of the server.
        guard let offset else { throw response.tusMisfit("it did not return the upload's offset", .retry) }
        if let told = response.headers.tusNumber("Upload-Length"), told != length { throw response.tusLoss() }
        acknowledge(offset, of: length)
        return offset
    }

    private func send(
        _ range: Range<Int>,
        to url: WebURL,
        _ upload: inout TusUpload,
        _ machine: inout Machine
    ) async throws -> Machine.Action {
        let start = ByteCount(range.lowerBound)
        let body = try medium.file.body(from: start, limit: ByteCount(range.count))
        var request = try requests.piece(of: url, from: range.lowerBound, body)
        request.progress = session.progress(from: start)
        let response = try await session.client.send(request)
        guard response.isSuccess else { return try await refused(range, of: url, response, &machine) }
        guard let offset = response.headers.tusOffset else { return machine.refused(range) }
        acknowledge(offset, of: range.upperBound)
        let action = machine.told(offset, afterSending: range)
        if action != .finish, upload.renew(response.headers.tusExpiry(now: session.client.time)) {
            try await session.remember(upload)
        }
        return action
    }

    private func refused(
        _ range: Range<Int>,
        of url: WebURL,
        _ response: PublishResponse,
        _ machine: inout Machine
    ) async throws -> Machine.Action {
        switch response.status {
        case 409: return machine.refused(range)
        case 404, 410: throw response.tusLoss()
        case 403:
            // A lost upload may be forbidden, too; the query for its offset then shows that it is lost.
            _ = try await offset(of: url)
            throw response.tusFailure("send \(medium.name)")
        default: throw response.tusFailure("send \(medium.name)")
        }
    }

    /// Reports how many bytes the server says it has, unless that is more than possible.
    func acknowledge(_ offset: Int, of limit: Int) {
        if offset <= limit { session.acknowledge(ByteCount(offset)) }
    }

    // MARK: Failing

    private func failure(_ reason: Machine.Reason, of url: WebURL) async throws -> PublishError {
        switch reason {
        case .beyond(let offset):
            try await removeUseless(url)
            return PublishError(
                misfit(
                    "reports \(offset) bytes of \(medium.name), which is more than it was sent",
                    url
                ),
                .startOver
            )
        case .stuck(let offset):
            return PublishError(misfit("does not accept \(medium.name) beyond byte \(offset)", url), .retry)
        }
    }

    /// Removes an upload that the journal is about to discard.
    private func removeUseless(_ url: WebURL) async throws {
        do {
            _ = try await session.client.send(try requests.termination(of: url))
        } catch let error as CancellationError {
            throw error
        } catch {
            // The server removes it eventually; that the upload is unusable is the more important error.
        }
    }

    private func misfit(_ what: String, _ url: WebURL) -> CalotypeError {
        CalotypeError(.protocolError, "the server \(what)", stage: .response, url: url.text)
    }
}

extension TusAttempt {
    /// Finds or creates the upload, and returns the first action.
    func begin(_ machine: inout Machine) async throws -> (TusUpload, WebURL, Machine.Action) {
        if let (upload, url) = known() { return (upload, url, .ask) }
        let response = try await create()
        let url = try location(of: response)
        let expiry = response.headers.tusExpiry(now: session.client.time)
        let upload = TusUpload(url, length: length, expires: expiry)
        try await session.remember(upload)
        // A new upload without bytes is at offset zero; if the request carried bytes, the server must report
        // how many it received.
        guard let offset = sendsAtCreation ? response.headers.tusOffset : 0 else {
            return (upload, url, .ask)
        }
        acknowledge(offset, of: length)
        return (upload, url, machine.told(offset))
    }

    /// Returns the upload that an earlier attempt created, unless it is known to be unusable.
    private func known() -> (TusUpload, WebURL)? {
        guard let upload = session.state.value(TusUpload.self), upload.length == length,
            !upload.hasExpired(at: session.client.time),
            // A URL with another origin is not an upload of this server.
            let url = try? requests.known(upload.url)
        else { return nil }
        return (upload, url)
    }

    private func create() async throws -> PublishResponse {
        let body = sendsAtCreation ? try medium.file.body() : .none
        var request = try requests.creation(of: medium, key: session.key, with: body)
        if sendsAtCreation { request.progress = session.progress() }
        let response = try await session.client.send(request)
        guard response.isSuccess else { throw response.tusFailure("create the upload of \(medium.name)") }
        return response
    }

    private func location(of response: PublishResponse) throws -> WebURL {
        guard let location = response.headers["Location"] else {
            throw response.tusMisfit(
                "it returned \(response.status) without a Location for a new upload",
                .none
            )
        }
        do {
            return try requests.upload(location, from: response.url)
        } catch {
            throw PublishError(error, .none)
        }
    }
}

/// An upload on the server, as the journal stores it.
struct TusUpload: Hashable, Codable {
    /// The URL.
    let url: String
    /// The length of the file.
    let length: Int
    /// When the server discards it, in seconds since 1970; `nil` if the server reported no time.
    var expires: Int?

    /// Creates the value for the upload that a response describes.
    init(_ url: WebURL, length: Int, expires: WallTime?) {
        self.url = url.text
        self.length = length
        self.expires = expires?.secondsSince1970
    }

    /// Whether the server has discarded the upload by `now`.
    func hasExpired(at now: WallTime) -> Bool {
        expires.map { $0 <= now.secondsSince1970 } ?? false
    }

    /// Updates the expiry, and returns whether the change is worth storing.
    ///
    /// A change of seconds is not.
    mutating func renew(_ expiry: WallTime?) -> Bool {
        guard let expiry else { return false }
        let new = expiry.secondsSince1970
        if let expires, abs(new - expires) < 60 { return false }
        expires = new
        return true
    }
}
