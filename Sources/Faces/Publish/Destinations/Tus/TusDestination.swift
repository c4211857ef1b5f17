public import CalotypeCore
public import CalotypeHTTP
internal import TaskFlow

/// A tus 1.0 server for the media, and a URL for the post.
///
/// An upload resumes at the offset that the server reports. Of the protocol's extensions, the destination
/// requires creation. It uses expiration and termination if the server has them, and creation-with-upload if
/// ``smallFileBytes`` asks for that, too.
public struct TusDestination: PublishDestination {
    /// The URL at which uploads are created.
    public let endpoint: WebURL
    /// The maximum number of bytes in one request, 8 MiB by default.
    ///
    /// That many bytes may have to be sent again after an interruption, and each response advances the
    /// progress.
    public var pieceBytes = ByteCount.mebibytes(8)
    /// The size up to which a file is sent with the request that creates its upload; zero by default.
    ///
    /// This saves a round trip if the server supports it. If the response is lost, however, the file is sent
    /// again, and a complete upload stays on the server without any reference to it.
    public var smallFileBytes = ByteCount(0)
    private let post: PlainPost
    private let requests: TusRequests
    /// The server's abilities, from the request for limits.
    private let abilities = Guarded<TusAbilities?>(nil)

    /// Creates a destination.
    ///
    /// - Parameters:
    ///   - endpoint: The URL at which uploads are created, such as `https://example.org/files/`. Its user and
    ///     password are sent if it has them and there is no `authorization`.
    ///   - post: Accepts the post, which refers to its media by the URLs of their uploads.
    ///   - authorization: The value of the `Authorization` header for all requests to the endpoint's origin,
    ///     if one is needed.
    public init(endpoint: WebURL, post: PlainPost, authorization: Secret? = nil) {
        self.endpoint = endpoint
        self.post = post
        requests = TusRequests(
            endpoint: endpoint,
            authorization: authorization ?? endpoint.authorization.map { Secret($0) }
        )
    }

    /// `tus+` and the URL.
    public var name: String { "tus+\(endpoint.withoutQuery)" }

    /// The locations of the media and of the post, in a canonical form.
    public var identity: String { "\(DestinationIdentity.of(name)) \(DestinationIdentity.of(post.url))" }

    /// Requests the server's limits; a server that reports none accepts anything.
    ///
    /// - Throws: `PublishError`; what the transport throws; `CancellationError`.
    public func limits(_ client: PublishClient) async throws -> MediaLimits {
        let response = try await client.send(try requests.abilities())
        switch response.status {
        case 200..<300: break
        case 401, 403, 408, 425, 429, 500, 502, 503, 504:
            throw response.tusFailure("request the server's limits")
        default: return MediaLimits()
        }
        let told = TusAbilities(response.headers)
        guard told.isSpoken else { throw response.tusMisfit("it does not support version 1.0.0", .none) }
        abilities.withLock { $0 = told }
        var limits = MediaLimits()
        limits.imageBytes = told.maximumSize
        limits.fileBytes = told.maximumSize
        return limits
    }

    /// Uploads one medium, starting at the offset that the server reports.
    ///
    /// - Throws: `PublishError` with the remedy; what the transport throws; `CancellationError`.
    public func upload(_ medium: PreparedMedium, _ session: UploadSession) async throws -> UploadedMedium {
        let size = medium.file.size
        let takesBytes = abilities.withLock { $0?.takesBytesAtCreation ?? false }
        let attempt = TusAttempt(
            requests: requests,
            medium: medium,
            session: session,
            pieceBytes: pieceBytes,
            sendsAtCreation: takesBytes && size > ByteCount(0) && size <= smallFileBytes
        )
        let url = try await attempt.run().text
        return UploadedMedium(id: url, url: url)
    }

    /// Sends the post, or finds that it is already there.
    public func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost {
        try await post.publish(draft, session)
    }

    /// Removes an upload, complete or not.
    ///
    /// It is not an error if the upload is gone, or if the server cannot remove uploads.
    ///
    /// - Throws: `PublishError`; what the transport throws; `CancellationError`.
    @discardableResult
    public func discard(
        _ state: RememberedState,
        _ uploaded: UploadedMedium?,
        _ client: PublishClient
    ) async throws -> Discarded {
        guard let text = state.value(TusUpload.self)?.url ?? uploaded?.id else { return .removed }
        let url: WebURL
        do { url = try requests.known(text) } catch { throw PublishError(error, .none) }
        let response = try await client.send(try requests.termination(of: url))
        switch response.status {
        case 200..<300, 404, 410: return .removed
        // The server does not support termination.
        case 405, 501: return .kept
        default: throw response.tusFailure("remove the upload")
        }
    }
}
