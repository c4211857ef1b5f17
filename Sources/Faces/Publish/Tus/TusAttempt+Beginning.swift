internal import CalotypeCore
internal import CalotypeHTTP

extension TusAttempt {
    /// Finds the upload or creates it, and tells what is to be done first.
    func begin(_ machine: inout Machine) async throws -> (TusUpload, WebURL, Machine.Action) {
        if let (upload, url) = known() { return (upload, url, .ask) }
        let answer = try await create()
        let url = try location(of: answer)
        let expiry = answer.headers.tusExpiry(now: session.client.time)
        let upload = TusUpload(url, length: length, expires: expiry)
        try await session.remember(upload)
        // Zero is true of a new upload without bytes; how many of those it brought came, the server has to say.
        guard let offset = sendsAtCreation ? answer.headers.tusOffset : 0 else { return (upload, url, .ask) }
        acknowledge(offset, of: length)
        return (upload, url, machine.told(offset))
    }

    /// The upload that an earlier attempt created, unless it is known to be of no use.
    private func known() -> (TusUpload, WebURL)? {
        guard let upload = session.state.value(TusUpload.self), upload.length == length,
            !upload.hasExpired(at: session.client.time),
            // What is elsewhere is no upload of this server.
            let url = try? requests.known(upload.url)
        else { return nil }
        return (upload, url)
    }

    private func create() async throws -> PublishAnswer {
        let body = sendsAtCreation ? try medium.file.body() : .none
        var request = try requests.creation(of: medium, key: session.key, with: body)
        if sendsAtCreation { request.progress = session.progress() }
        let answer = try await session.client.send(request)
        guard answer.isSuccess else { throw answer.tusFailure("create the upload of \(medium.name)") }
        return answer
    }

    private func location(of answer: PublishAnswer) throws -> WebURL {
        guard let location = answer.headers["Location"] else {
            throw answer.tusMisfit(
                "it answered \(answer.status) and no Location to an upload's creation",
                .none
            )
        }
        do {
            return try requests.upload(location, from: answer.url)
        } catch {
            throw PublishFailure(error, .none)
        }
    }
}
