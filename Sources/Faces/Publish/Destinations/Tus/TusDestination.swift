public import CalotypeCore
public import CalotypeHTTP
internal import TaskFlow

/// A tus 1.0 server for the media, and a URL for the post.
///
/// Uploads are resumed where the server says that they are. Of the protocol's extensions, creation is needed;
/// expiration and termination are used where the server has them, and creation-with-upload where that is wished too.
public struct TusDestination: PublishDestination {
    /// Where uploads are created.
    public let endpoint: WebURL
    /// The most bytes of one request, 8 MiB: as many may have to be sent again after a cut, and each answer moves the progress.
    public var pieceBytes = ByteCount.mebibytes(8)
    /// Files up to this length come with the request that creates their upload, where the server takes that, which saves a round
    /// trip; none by default.
    ///
    /// Should the answer to it be lost, the file is sent again, and a whole upload stays at the server that nobody knows.
    public var smallFileBytes = ByteCount(0)
    private let post: PlainPost
    private let requests: TusRequests
    /// What the server told of itself when it was asked for limits.
    private let abilities = Guarded<TusAbilities?>(nil)

    /// Creates a destination.
    ///
    /// - Parameters:
    ///   - endpoint: Where uploads are created, such as `https://example.org/files/`; its user and password are sent, if it has
    ///     them and there is no `authorization`.
    ///   - post: Takes the post, whose media are named by the URLs of their uploads.
    ///   - authorization: The value of the `Authorization` field of all requests to the endpoint's origin, if one is needed.
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

    /// The place of the media and that of the post, in a canonical form.
    public var identity: String { "\(DestinationIdentity.of(name)) \(DestinationIdentity.of(post.url))" }

    /// Asks what the server takes; one that does not tell takes anything.
    ///
    /// - Throws: `PublishError`; what the transport throws; `CancellationError`.
    public func limits(_ client: PublishClient) async throws -> MediaLimits {
        let answer = try await client.send(try requests.abilities())
        switch answer.status {
        case 200..<300: break
        case 401, 403, 408, 425, 429, 500, 502, 503, 504:
            throw answer.tusFailure("ask the server what it takes")
        default: return MediaLimits()
        }
        let told = TusAbilities(answer.headers)
        guard told.isSpoken else { throw answer.tusMisfit("it does not speak version 1.0.0", .none) }
        abilities.withLock { $0 = told }
        var limits = MediaLimits()
        limits.imageBytes = told.maximumSize
        limits.fileBytes = told.maximumSize
        return limits
    }

    /// Brings one medium to the server, from where the server says that the last attempt came to.
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

    /// Sends the post, or finds that it is there.
    public func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost {
        try await post.publish(draft, session)
    }

    /// Removes an upload, whole or not; one that is gone, and a server that removes nothing, are fine.
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
        let answer = try await client.send(try requests.termination(of: url))
        switch answer.status {
        case 200..<300, 404, 410: return .removed
        // The server has no termination.
        case 405, 501: return .kept
        default: throw answer.tusFailure("remove the upload")
        }
    }
}
