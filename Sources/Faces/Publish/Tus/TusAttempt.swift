internal import CalotypeCore
internal import CalotypeHTTP

/// One attempt at an upload: finds it or creates it, and sends what the server does not have, one request after another.
struct TusAttempt {
    typealias Machine = TusStateMachine

    let requests: TusRequests
    let medium: PreparedMedium
    let session: UploadSession
    /// The most bytes of one request.
    let pieceBytes: ByteCount
    /// Whether the bytes may come with the request that creates the upload.
    let sendsAtCreation: Bool

    var length: Int { medium.file.size.bytes }

    /// Returns where the whole file is.
    func run() async throws -> WebURL {
        var machine = Machine(length: length, pieceBytes: pieceBytes.bytes)
        var (upload, url, action) = try await begin(&machine)
        while true {
            switch action {
            case .ask: action = machine.told(try await offset(of: url))
            case .send(let range): action = try await send(range, to: url, &upload, &machine)
            case .finish: return url
            case .fail(let fault): throw try await failure(fault, of: url)
            }
        }
    }

    private func offset(of url: WebURL) async throws -> Int {
        let answer = try await session.client.send(try requests.offset(of: url))
        let offset = answer.headers.tusOffset
        switch answer.status {
        case 200..<300: break
        case 403 where offset == nil, 404, 410: throw answer.tusLoss()
        default: throw answer.tusFailure("ask how much of \(medium.name) is there")
        }
        // A proxy may have answered in the server's place.
        guard let offset else { throw answer.tusMisfit("it did not tell the upload's offset", .retry) }
        if let told = answer.headers.tusNumber("Upload-Length"), told != length { throw answer.tusLoss() }
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
        let answer = try await session.client.send(request)
        guard answer.isSuccess else { return try await refused(range, of: url, answer, &machine) }
        guard let offset = answer.headers.tusOffset else { return machine.refused(range) }
        acknowledge(offset, of: range.upperBound)
        let action = machine.told(offset, afterSending: range)
        if action != .finish, upload.renew(answer.headers.tusExpiry(now: session.client.time)) {
            try await session.remember(upload)
        }
        return action
    }

    private func refused(
        _ range: Range<Int>,
        of url: WebURL,
        _ answer: PublishAnswer,
        _ machine: inout Machine
    ) async throws -> Machine.Action {
        switch answer.status {
        case 409: return machine.refused(range)
        case 404, 410: throw answer.tusLoss()
        case 403:
            // What is lost may be forbidden too; then the question says so.
            _ = try await offset(of: url)
            throw answer.tusFailure("send \(medium.name)")
        default: throw answer.tusFailure("send \(medium.name)")
        }
    }

    /// Tells how much the server says that it has, unless that is more than there can be.
    func acknowledge(_ offset: Int, of limit: Int) {
        if offset <= limit { session.acknowledge(ByteCount(offset)) }
    }

    // MARK: Giving up

    private func failure(_ fault: Machine.Fault, of url: WebURL) async throws -> PublishFailure {
        switch fault {
        case .beyond(let offset):
            try await removeUseless(url)
            return PublishFailure(
                misfit(
                    "says that it has \(offset) bytes of \(medium.name), which is more than it was sent",
                    url
                ),
                .startOver
            )
        case .stuck(let offset):
            return PublishFailure(misfit("takes no byte of \(medium.name) after \(offset)", url), .retry)
        }
    }

    /// Removes an upload that the journal is about to forget.
    private func removeUseless(_ url: WebURL) async throws {
        do {
            _ = try await session.client.send(try requests.termination(of: url))
        } catch let error as CancellationError {
            throw error
        } catch {
            // The server removes it in its own time; that it cannot be used any more is the greater trouble.
        }
    }

    private func misfit(_ what: String, _ url: WebURL) -> CalotypeError {
        CalotypeError(.protocolError, "the server \(what)", stage: .response, url: url.text)
    }
}
