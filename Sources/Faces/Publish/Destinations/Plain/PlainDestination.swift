internal import CalotypeCore
public import CalotypeHTTP

/// A server that takes each medium by HTTP `PUT` or `POST` at a URL of its own, and then the post as JSON.
public struct PlainDestination: PublishDestination {
    /// Gives the URL of a medium; it is asked anew for each attempt, as signed URLs have to be.
    public typealias Placing = @Sendable (PreparedMedium) async throws -> WebURL

    private struct Upload: Codable {
        let url: String
    }

    /// The kind and the URL of the folder, or what the caller named it.
    public let name: String
    private let method: HTTPMethod
    private let place: Placing?
    private let folder: WebURL?
    private let post: PlainPost
    private let authorization: Secret?

    /// Creates a destination whose media become files of a folder.
    ///
    /// - Parameters:
    ///   - folder: The folder's URL; a medium is stored there under the publication's key and its own name.
    ///   - method: `PUT`, or `POST` to the folder itself.
    ///   - post: Takes the post.
    ///   - authorization: The value of the `Authorization` field, if one is needed.
    public init(folder: WebURL, method: HTTPMethod = .put, post: PlainPost, authorization: Secret? = nil) {
        name = "plain+\(folder.withoutQuery)"
        self.folder = folder
        place = nil
        self.method = method
        self.post = post
        self.authorization = authorization
    }

    /// Creates a destination whose media go to URLs that the caller gives, such as signed ones.
    ///
    /// - Parameters:
    ///   - name: Under what the journal knows the destination.
    ///   - method: What is done with the URLs.
    ///   - post: Takes the post.
    ///   - place: Gives the URL of a medium.
    public init(name: String, method: HTTPMethod = .put, post: PlainPost, place: @escaping Placing) {
        self.name = name
        self.method = method
        self.place = place
        self.post = post
        folder = nil
        authorization = nil
    }

    /// The place of the media and that of the post, in a canonical form.
    public var identity: String { "\(DestinationIdentity.of(name)) \(DestinationIdentity.of(post.url))" }

    /// Limits nothing: there is nobody to ask.
    public func limits(_ client: PublishClient) async throws -> MediaLimits {
        MediaLimits()
    }

    /// Sends the whole file, and looks whether it is there; an earlier attempt that did not come to its end is of no use.
    ///
    /// - Throws: `not_stored` where the server answers with success, and has something else at its place, or nothing; else as
    ///   ``PublishDestination/upload(_:_:)`` says.
    public func upload(_ medium: PreparedMedium, _ session: UploadSession) async throws -> UploadedMedium {
        let url = try await url(of: medium, key: session.key)
        let place = url.withoutQuery
        // What a POST makes has a URL of its own, which only the answer tells.
        if method != .post { try await session.remember(Upload(url: place)) }
        var request = HTTPRequest(url, method: method, body: try medium.file.body())
        try request.addHeader("Content-Type", medium.type.name)
        try request.addHeader("Idempotency-Key", session.key)
        try request.authorize(authorization)
        request.expectsContinue = medium.file.size > .mebibytes(1)
        request.progress = session.progress()
        let answer = try await session.client.send(request)
        guard answer.isSuccess else { throw failure(answer) }
        try await verify(answer, medium, at: url, session.client)
        session.acknowledge(medium.file.size)
        let location = location(in: answer, to: url)
        return UploadedMedium(id: location ?? place, url: location ?? (isPostToFolder ? nil : place))
    }

    /// Sends the post, or finds that it is there.
    public func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost {
        try await post.publish(draft, session)
    }

    /// Deletes the file; a server that deletes nothing keeps it.
    ///
    /// Of what was sent by `POST` only that is deleted which the server has named by `Location`. The folder and those above it
    /// are never deleted, whatever the server named.
    @discardableResult
    public func discard(
        _ state: RememberedState,
        _ uploaded: UploadedMedium?,
        _ client: PublishClient
    ) async throws -> Discarded {
        // A signed URL is for one method; what was stored there is for its owner to remove.
        guard place == nil, let folder, let text = file(state, uploaded) else { return .kept }
        guard let url = try DestinationIdentity.rebase(WebURL(text), to: folder), !url.isSameOrAbove(folder)
        else { return .kept }
        var request = HTTPRequest(try url.adding(folder.query), method: .delete)
        try request.authorize(authorization)
        let answer = try await client.send(request)
        switch answer.status {
        case 200..<300, 404, 410: return .removed
        case 405, 501: return .kept
        default: throw answer.failure("remove \(url.withoutQuery)")
        }
    }

    /// Whether media become files of a folder.
    var isFolder: Bool { method == .put && folder != nil }

    /// Adds the credentials.
    func authorize(_ request: inout HTTPRequest) throws(CalotypeError) {
        try request.authorize(authorization)
    }

    private var isPostToFolder: Bool { method == .post && folder != nil }

    private func file(_ state: RememberedState, _ uploaded: UploadedMedium?) -> String? {
        // An earlier version remembered the folder.
        if isPostToFolder { return uploaded?.url }
        return state.value(Upload.self)?.url ?? uploaded?.url
    }

    private func location(in answer: PublishAnswer, to url: WebURL) -> String? {
        // The file is there, whatever is told of its place: a text that is no URL is as good as none.
        guard let text = answer.headers["Location"], let place = try? answer.url.resolving(text) else {
            return nil
        }
        // A signature that comes back is no part of the name.
        return place.query == url.query ? place.withoutQuery : place.text
    }

    private func url(of medium: PreparedMedium, key: String) async throws -> WebURL {
        if let place { return try await place(medium) }
        guard let folder, method != .post else { return folder ?? post.url }
        return try folder.appending("\(key)-\(medium.name)")
    }

    private func failure(_ answer: PublishAnswer) -> PublishError {
        let failure = answer.failure("send the file")
        // A signed URL that has expired: the next attempt gets another.
        guard place != nil, answer.status == 403 else { return failure }
        return PublishError(failure.error, .retry)
    }
}

extension WebURL {
    /// Whether the path is that of `folder` or of a folder above it, at the same server.
    ///
    /// Slashes, escapes and capitals make no difference, as they make none at some servers; nor does a query.
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
