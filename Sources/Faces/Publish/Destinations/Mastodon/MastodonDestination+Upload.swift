internal import CalotypeCore
internal import CalotypeHTTP

extension MastodonDestination {
    /// Sends a medium, or goes on where the server has it already, and waits until it is processed.
    ///
    /// - Throws: `processing_failed` for what the server cannot use; `processing_timeout` where it does not come to an end with
    ///   it; else as ``PublishDestination/upload(_:_:)`` says.
    public func upload(_ medium: PreparedMedium, _ session: UploadSession) async throws -> UploadedMedium {
        let api = api(session.client)
        if let taken = session.state.value(MastodonUpload.self) {
            session.acknowledge(medium.file.size)
            session.beginProcessing()
            return try await processed(taken, isFromEarlier: true, medium, session, api)
        }
        let answer = try await send(medium, session, api)
        let taken = MastodonUpload(try answer.json(MastodonAttachment.self), status: answer.status)
        session.acknowledge(medium.file.size)
        if taken.isSaidReady, taken.url != nil { return taken.uploaded }
        try await session.remember(taken)
        session.beginProcessing()
        return try await processed(taken, isFromEarlier: false, medium, session, api)
    }

    // MARK: Sending

    private func send(
        _ medium: PreparedMedium,
        _ session: UploadSession,
        _ api: MastodonServer
    ) async throws -> PublishAnswer {
        var answer = try await send(medium, to: "/api/v2/media", session, api)
        if [404, 405, 501].contains(answer.status) {
            answer = try await send(medium, to: "/api/v1/media", session, api)
        }
        guard answer.isSuccess else { throw refusal(answer, of: medium, api) }
        return answer
    }

    private func send(
        _ medium: PreparedMedium,
        to path: String,
        _ session: UploadSession,
        _ api: MastodonServer
    ) async throws -> PublishAnswer {
        var form = MultipartForm(key: session.key)
        if let text = medium.altText { form.append("description", text) }
        if let focus = medium.focus {
            form.append("focus", "\(Self.decimal(focus.x)),\(Self.decimal(focus.y))")
        }
        if let thumbnail = medium.thumbnail {
            let type = MediaType("application/octet-stream")
            try form.append("thumbnail", thumbnail, name: "\(session.key)-thumbnail", type: type)
        }
        // snac2 keeps media by this name alone, and another one of the same name takes the place of the first.
        let name = "\(session.key)-\(medium.name)"
        let start = try form.append("file", medium.file, name: name, type: medium.type)
        var request = try HTTPRequest(api.url(path), form: form)
        request.progress = session.progress(after: start)
        return try await api.send(request, to: "send \(medium.name)")
    }

    private func refusal(
        _ answer: PublishAnswer,
        of medium: PreparedMedium,
        _ api: MastodonServer
    ) -> PublishError {
        let failure = api.failure(answer, to: "send \(medium.name)")
        // Mastodon's answer to a picture that it cannot scale. The next attempt would be of the same bytes.
        let isFinal = answer.status == 500 && api.reason(answer)?.contains("processing thumbnail") == true
        return isFinal ? PublishError(failure.error, .none) : failure
    }

    /// A coordinate with at most four digits behind the point, never with an exponent.
    private static func decimal(_ value: Double) -> String {
        "\((value * 10_000).rounded() / 10_000)"
    }

    // MARK: Processing

    private func processed(
        _ taken: MastodonUpload,
        isFromEarlier: Bool,
        _ medium: PreparedMedium,
        _ session: UploadSession,
        _ api: MastodonServer
    ) async throws -> UploadedMedium {
        if isFromEarlier, let ready = try await ready(taken, isFromEarlier: true, medium, api) {
            return ready
        }
        var pauses = ProcessingPauses(for: medium.file.size)
        while let pause = pauses.next() {
            try await session.sleep(for: pause)
            if let ready = try await ready(taken, isFromEarlier: isFromEarlier, medium, api) { return ready }
        }
        let error = CalotypeError(
            .processingTimeout,
            "the server does not come to an end with processing \(medium.name); publish it without this medium, or try later",
            stage: .response,
            url: server.text
        )
        throw PublishError(error, .none)
    }

    /// The medium, if it is processed; `nil` where it is not yet.
    private func ready(
        _ taken: MastodonUpload,
        isFromEarlier: Bool,
        _ medium: PreparedMedium,
        _ api: MastodonServer
    ) async throws -> UploadedMedium? {
        let answer = try await api.send(
            api.request(.get, "/api/v1/media/\(MastodonServer.segment(taken.id))"),
            to: "ask for \(medium.name)"
        )
        switch answer.status {
        case 202, 206: return nil
        case 200..<300:
            let attachment = try answer.json(MastodonAttachment.self)
            return attachment.url.map { UploadedMedium(id: taken.id, url: $0) }
        case 422: throw Self.failed(medium, answer, api)
        // There are servers that cannot be asked. What one of them said when it took the medium then has to do.
        case 404 where !isFromEarlier && (taken.isSaidReady || taken.url != nil): return taken.uploaded
        case 404, 410:
            throw PublishError(api.failure(answer, to: "ask for \(medium.name)").error, .startOver)
        default: throw api.failure(answer, to: "ask for \(medium.name)")
        }
    }

    private static func failed(
        _ medium: PreparedMedium,
        _ answer: PublishAnswer,
        _ api: MastodonServer
    ) -> PublishError {
        let told = PublishAnswer.told(api.reason(answer))
        let error = CalotypeError(
            .processingFailed,
            "the server cannot use \(medium.name)\(told)",
            stage: .response,
            url: answer.url.text
        )
        return PublishError(error, .none)
    }
}

/// A medium that the server took and may still be working on; this is what the journal keeps.
struct MastodonUpload: Codable {
    /// The server's name for it.
    var id: String
    /// Where it can be seen, if that was told when it was taken.
    var url: String?
    /// Whether the answer that took it said that nothing is left to be done.
    var isSaidReady: Bool

    var uploaded: UploadedMedium { UploadedMedium(id: id, url: url) }

    init(_ attachment: MastodonAttachment, status: Int) {
        id = attachment.id.text
        url = attachment.url
        isSaidReady = status != 202
    }
}

/// A medium as the server tells it.
struct MastodonAttachment: Decodable {
    var id: MastodonID
    /// Where it can be seen; `nil` until it is processed.
    var url: String?
}

/// The pauses between two questions whether a medium is processed: 1, 2, 4, 8, and then 10 s each, until there have been
/// enough of them for its size.
struct ProcessingPauses: IteratorProtocol {
    private static let longest = Duration.seconds(10)

    /// All pauses together: 2 min, and 2 s more for each MiB, which is some times what small servers take for a video.
    let budget: Duration
    private var pause = Duration.seconds(1)
    private var spent = Duration.zero

    /// Creates the pauses for a medium of `size`.
    init(for size: ByteCount) {
        budget = .seconds(120 + 2 * (size.bytes >> 20))
    }

    mutating func next() -> Duration? {
        guard spent < budget else { return nil }
        let next = pause
        spent += next
        pause = min(pause * 2, Self.longest)
        return next
    }
}
