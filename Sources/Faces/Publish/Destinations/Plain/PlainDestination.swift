internal import CalotypeCore
public import CalotypeHTTP

/// A server that accepts each medium by `PUT` or `POST` at a URL of its own, and then the post as JSON.
public struct PlainDestination: PublishDestination {
    /// Returns the URL of a medium; called for each attempt, so that it can return a new signed URL.
    public typealias Placing = @Sendable (PreparedMedium) async throws -> WebURL

    private struct Upload: Codable {
        let url: String
    }

    /// The kind and URL of the folder, or the name that the caller chose.
    public let name: String
    private let method: HTTPMethod
    private let place: Placing?
    private let folder: WebURL?
    private let post: PlainPost
    private let authorization: Secret?

    /// Creates a destination that stores media as files in a folder.
    ///
    /// - Parameters:
    ///   - folder: The folder's URL; a medium's file name there begins with the upload's key.
    ///   - method: `PUT`, or `POST` to the folder itself.
    ///   - post: Accepts the post.
    ///   - authorization: The value of the `Authorization` header, if one is needed.
    public init(folder: WebURL, method: HTTPMethod = .put, post: PlainPost, authorization: Secret? = nil) {
        name = "plain+\(folder.withoutQuery)"
        self.folder = folder
        place = nil
        self.method = method
        self.post = post
        self.authorization = authorization
    }

    /// Creates a destination that sends media to URLs from the caller, such as signed URLs.
    ///
    /// - Parameters:
    ///   - name: The destination's name in the journal.
    ///   - method: The method for the URLs.
    ///   - post: Accepts the post.
    ///   - place: Returns the URL of a medium.
    public init(name: String, method: HTTPMethod = .put, post: PlainPost, place: @escaping Placing) {
        self.name = name
        self.method = method
        self.place = place
        self.post = post
        folder = nil
        authorization = nil
    }

    /// The locations of the media and of the post, in a canonical form.
    public var identity: String { "\(DestinationIdentity.of(name)) \(DestinationIdentity.of(post.url))" }

    /// Returns no limits, because there is no way to request them.
    public func limits(_ client: PublishClient) async throws -> MediaLimits {
        MediaLimits()
    }

    /// Sends the whole file, and checks that the server has it; an incomplete earlier attempt is of no use.
    ///
    /// - Throws: `not_stored` if the server responds with success, but has something else in the file's
    ///   place, or nothing; otherwise the errors that ``PublishDestination/upload(_:_:)`` describes.
    public func upload(_ medium: PreparedMedium, _ session: UploadSession) async throws -> UploadedMedium {
        let url = try await url(of: medium, key: session.key)
        let place = url.withoutQuery
        // The result of a POST has its own URL, which only the response contains.
        if method != .post { try await session.remember(Upload(url: place)) }
        var request = HTTPRequest(url, method: method, body: try medium.file.body())
        try request.addHeader("Content-Type", medium.type.name)
        try request.addHeader("Idempotency-Key", session.key)
        try request.authorize(authorization)
        request.expectsContinue = medium.file.size > .mebibytes(1)
        request.progress = session.progress()
        let response = try await session.client.send(request)
        guard response.isSuccess else { throw failure(response) }
        try await verify(response, medium, at: url, session.client)
        session.acknowledge(medium.file.size)
        let location = location(in: response, to: url)
        return UploadedMedium(id: location ?? place, url: location ?? (isPostToFolder ? nil : place))
    }

    /// Sends the post, or finds that it is already there.
    public func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost {
        try await post.publish(draft, session)
    }

    /// Deletes the file, unless the server cannot delete files.
    ///
    /// After a `POST`, the method deletes a file only if the server named it by `Location`. It never deletes
    /// the folder or a parent of it, whatever the server named.
    @discardableResult
    public func discard(
        _ state: RememberedState,
        _ uploaded: UploadedMedium?,
        _ client: PublishClient
    ) async throws -> Discarded {
        // A signed URL is valid for one method; its owner must remove the file.
        guard place == nil, let folder, let text = file(state, uploaded) else { return .kept }
        guard let url = try DestinationIdentity.rebase(WebURL(text), to: folder), !url.isSameOrAbove(folder)
        else { return .kept }
        var request = HTTPRequest(try url.adding(folder.query), method: .delete)
        try request.authorize(authorization)
        let response = try await client.send(request)
        switch response.status {
        case 200..<300, 404, 410: return .removed
        case 405, 501: return .kept
        default: throw response.failure("remove \(url.withoutQuery)")
        }
    }

    /// Whether media are stored as files in a folder.
    var isFolder: Bool { method == .put && folder != nil }

    /// Adds the `Authorization` header.
    func authorize(_ request: inout HTTPRequest) throws(CalotypeError) {
        try request.authorize(authorization)
    }

    private var isPostToFolder: Bool { method == .post && folder != nil }

    private func file(_ state: RememberedState, _ uploaded: UploadedMedium?) -> String? {
        // Earlier versions stored the folder's URL.
        if isPostToFolder { return uploaded?.url }
        return state.value(Upload.self)?.url ?? uploaded?.url
    }

    private func location(in response: PublishResponse, to url: WebURL) -> String? {
        // The file exists in any case; an invalid location counts as none.
        guard let text = response.headers["Location"], let place = try? response.url.resolving(text) else {
            return nil
        }
        // A signature in the location is not part of the file's name.
        return place.query == url.query ? place.withoutQuery : place.text
    }

    private func url(of medium: PreparedMedium, key: String) async throws -> WebURL {
        if let place { return try await place(medium) }
        guard let folder, method != .post else { return folder ?? post.url }
        return try folder.appending("\(key)-\(medium.name)")
    }

    private func failure(_ response: PublishResponse) -> PublishError {
        let failure = response.failure("send the file")
        // A signed URL has expired: the next attempt receives another one.
        guard place != nil, response.status == 403 else { return failure }
        return PublishError(failure.error, .retry)
    }
}

extension WebURL {
    /// Whether the URL names `folder` or a parent of it on the same server.
    ///
    /// The comparison ignores extra slashes, escapes and case, because some servers do; it also ignores the
    /// query.
    func isSameOrAbove(_ folder: WebURL) -> Bool {
        folder.segments.starts(with: segments)
    }

    private var segments: [String] {
        let path = withoutQuery.split(separator: "/").dropFirst(2).joined(separator: "/")
        let plain = PercentEscapes.decoded(path.utf8).map { String(decoding: $0, as: UTF8.self) } ?? path
        return plain.lowercased().split(separator: "/").reduce(into: []) { segments, segment in
            switch segment {
            case ".": break
            case "..": _ = segments.popLast()
            default: segments.append(String(segment))
            }
        }
    }
}
