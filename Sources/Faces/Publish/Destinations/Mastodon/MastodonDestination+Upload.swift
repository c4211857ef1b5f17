internal import CalotypeCore
internal import CalotypeHTTP

extension MastodonDestination {
    /// Sends a medium, or continues with one that the server already has, and waits until it is processed.
    ///
    /// - Throws: `processing_failed` if the server cannot use the medium; `processing_timeout` if the server
    ///   does not finish processing it in time; otherwise as ``PublishDestination/upload(_:_:)`` describes.
    public func upload(_ medium: PreparedMedium, _ session: UploadSession) async throws -> UploadedMedium {
        let api = api(session.client)
        if let taken = session.state.value(MastodonUpload.self) {
            session.acknowledge(medium.file.size)
            session.beginProcessing()
            return try await processed(taken, isFromEarlier: true, medium, session, api)
        }
        let response = try await send(medium, session, api)
        let taken = MastodonUpload(try response.json(MastodonAttachment.self), status: response.status)
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
    ) async throws -> PublishResponse {
        var response = try await send(medium, to: "/api/v2/media", session, api)
        if [404, 405, 501].contains(response.status) {
            response = try await send(medium, to: "/api/v1/media", session, api)
        }
        guard response.isSuccess else { throw refusal(response, of: medium, api) }
        return response
    }

    private func send(
        _ medium: PreparedMedium,
        to path: String,
        _ session: UploadSession,
        _ api: MastodonServer
    ) async throws -> PublishResponse {
        var form = MultipartForm(key: session.key)
        if let text = medium.altText { form.append("description", text) }
        if let focus = medium.focus {
            form.append("focus", "\(Self.decimal(focus.x)),\(Self.decimal(focus.y))")
        }
        if let thumbnail = medium.thumbnail {
            let type = MediaType("application/octet-stream")
            try form.append("thumbnail", thumbnail, name: "\(session.key)-thumbnail", type: type)
        }
        // snac2 stores media by this name alone, and a second file of the same name replaces the first.
        let name = "\(session.key)-\(medium.name)"
        let start = try form.append("file", medium.file, name: name, type: medium.type)
        var request = try HTTPRequest(api.url(path), form: form)
        request.progress = session.progress(after: start)
        return try await api.send(request, to: "send \(medium.name)")
    }

    private func refusal(
        _ response: PublishResponse,
        of medium: PreparedMedium,
        _ api: MastodonServer
    ) -> PublishError {
        let failure = api.failure(response, to: "send \(medium.name)")
        // Mastodon's response to a picture that it cannot scale. The next attempt would send the same bytes.
        let isFinal = response.status == 500 && api.reason(response)?.contains("processing thumbnail") == true
        return isFinal ? PublishError(failure.error, .none) : failure
    }

    /// Formats a coordinate with at most four digits after the decimal point and without an exponent.
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
            "the server has not finished processing \(medium.name); try again later, or publish without this file",
            stage: .response,
            url: server.text
        )
        throw PublishError(error, .none)
    }

    /// Returns the medium if it is processed, or `nil` if it is not processed yet.
    private func ready(
        _ taken: MastodonUpload,
        isFromEarlier: Bool,
        _ medium: PreparedMedium,
        _ api: MastodonServer
    ) async throws -> UploadedMedium? {
        let response = try await api.send(
            api.request(.get, "/api/v1/media/\(MastodonServer.segment(taken.id))"),
            to: "check \(medium.name)"
        )
        switch response.status {
        case 202, 206: return nil
        case 200..<300:
            let attachment = try response.json(MastodonAttachment.self)
            return attachment.url.map { UploadedMedium(id: taken.id, url: $0) }
        case 422: throw Self.failed(medium, response, api)
        // Some servers do not support this request. For them, rely on the response to the upload.
        case 404 where !isFromEarlier && (taken.isSaidReady || taken.url != nil): return taken.uploaded
        case 404, 410:
            throw PublishError(api.failure(response, to: "check \(medium.name)").error, .startOver)
        default: throw api.failure(response, to: "check \(medium.name)")
        }
    }

    private static func failed(
        _ medium: PreparedMedium,
        _ response: PublishResponse,
        _ api: MastodonServer
    ) -> PublishError {
        let told = PublishResponse.told(api.reason(response))
        let error = CalotypeError(
            .processingFailed,
            "the server cannot use \(medium.name)\(told)",
            stage: .response,
            url: response.url.text
        )
        return PublishError(error, .none)
    }
}

/// A medium that the server accepted and may still be processing; the journal stores this value.
struct MastodonUpload: Codable {
    /// The server's ID for the medium.
    var id: String
    /// The medium's URL, if the response to the upload had one.
    var url: String?
    /// Whether the response to the upload said that processing was finished.
    var isSaidReady: Bool

    var uploaded: UploadedMedium { UploadedMedium(id: id, url: url) }

    init(_ attachment: MastodonAttachment, status: Int) {
        id = attachment.id.text
        url = attachment.url
        isSaidReady = status != 202
    }
}

/// A medium as the server reports it.
struct MastodonAttachment: Decodable {
    var id: MastodonID
    /// The medium's URL; `nil` until the medium is processed.
    var url: String?
}

/// The pauses between polls for a medium's processing state.
///
/// They are 1, 2, 4, 8, and then 10 s each, until their sum reaches the budget for the medium's size.
struct ProcessingPauses: IteratorProtocol {
    private static let longest = Duration.seconds(10)

    /// The total length of all pauses: 2 min, plus 2 s for each MiB.
    ///
    /// That is several times what small servers take for a video.
    let budget: Duration
    private var pause = Duration.seconds(1)
    private var spent = Duration.zero

    /// Creates the pauses for a medium of the given size.
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
