internal import CalotypeCore
public import CalotypeHTTP

/// A WordPress site, accessed through its REST API with an application password.
///
/// A post is created as a draft, receives its media, and is then published, so that readers see either all of
/// it or nothing. It has no title. Its text becomes paragraphs, its media become blocks in their order, and
/// its first image becomes the featured image. Media and draft have slugs of our choosing, by which a later
/// attempt finds them after a lost response.
///
/// WordPress does not support a focus, a thumbnail of a file or the language of a post: they are left out.
/// ``Post/Visibility/followers`` becomes a private post, which only the site's editors see, and which cannot
/// have a schedule. A post for ``Post/Visibility/direct`` is refused, and any other post is visible to
/// everybody.
public struct WordPressDestination: PublishDestination {
    /// The site's address, such as `https://example.org/blog/`.
    public let site: WebURL
    let user: String
    let password: Secret

    /// Creates a destination.
    ///
    /// - Parameters:
    ///   - site: The URL of the site's home page; its query is removed.
    ///   - user: The name of a user who may publish posts and upload files.
    ///   - password: An application password of this user; the password for logging in does not work.
    public init(site: WebURL, user: String, password: Secret) {
        self.site = site
        self.user = user
        self.password = password
    }

    /// The kind and the site's address.
    public var name: String { "wordpress+\(site.withoutQuery)" }
    /// `true`: WordPress verifies it.
    public var needsMD5: Bool { true }

    /// Locates the REST API, and checks that the user has the permissions that a post needs.
    ///
    /// The site reports no limits; it refuses a file that is too large when the file is sent.
    public func limits(_ client: PublishClient) async throws -> MediaLimits {
        let root = try await WordPressRoot.find(of: self, client)
        let path = "wp/v2/users/me?context=edit&_fields=id,capabilities"
        let response = try await calls(root, client).get(path)
        guard response.isSuccess else { throw response.wordPressFailure("sign in") }
        try response.json(WordPressUser.self).requireAuthor(at: site)
        var limits = MediaLimits()
        limits.visibilities = [.everyone, .unlisted, .followers]
        limits.supportsContentWarnings = false
        limits.supportsFocus = false
        return limits
    }

    func calls(_ root: WordPressRoot, _ client: PublishClient) -> WordPressCalls {
        WordPressCalls(destination: self, root: root, client: client)
    }
}

extension WordPressDestination {
    /// Sends the file, and then its alt text.
    ///
    /// If an earlier attempt uploaded the medium, this one finds it by its slug.
    public func upload(_ medium: PreparedMedium, _ session: UploadSession) async throws -> UploadedMedium {
        let earlier = session.state.value(WordPressUpload.self)
        let record: WordPressUpload
        if let earlier {
            record = earlier
        } else {
            let root = try await WordPressRoot.find(of: self, session.client)
            record = WordPressUpload(root: root, key: session.key)
        }
        let attempt = WordPressUploadAttempt(
            medium: medium,
            session: session,
            calls: calls(record.root, session.client)
        )
        return try await attempt.run(record, isFirst: earlier == nil)
    }

    /// `true`: a site continues to process what it has received, and is polled until it shows the medium.
    public var awaitsCutUploads: Bool { true }

    /// Removes the medium, with all images that the site created from it.
    @discardableResult
    public func discard(
        _ state: RememberedState,
        _ uploaded: UploadedMedium?,
        _ client: PublishClient
    ) async throws -> Discarded {
        let record = state.value(WordPressUpload.self)
        guard record != nil || uploaded != nil else { return .removed }
        let root: WordPressRoot
        if let record { root = record.root } else { root = try await WordPressRoot.find(of: self, client) }
        let calls = calls(root, client)
        var id = uploaded.flatMap { Int($0.id) } ?? record?.id
        if id == nil, let record { id = try await calls.arrived(record)?.id }
        if let id { try await calls.remove("media/\(id)", "remove the file") }
        return .removed
    }
}

extension WordPressDestination {
    /// Creates a draft, adds its media, and then publishes it.
    ///
    /// Readers see only the effect of the last request, and that request can be repeated: no number of lost
    /// responses creates a second post.
    public func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost {
        let earlier = session.state.value(WordPressPublication.self)
        // Refuse an unsupported post before sending any request.
        _ = try WordPressEntry(draft, slug: "", site: site)
        let record: WordPressPublication
        if let earlier {
            record = earlier
        } else {
            let root = try await WordPressRoot.find(of: self, session.client)
            record = WordPressPublication(root: root, key: session.key)
        }
        let attempt = WordPressPostAttempt(
            contents: draft,
            entry: try WordPressEntry(draft, slug: record.slug, site: site),
            session: session,
            calls: calls(record.root, session.client)
        )
        return try await attempt.run(record, isFirst: earlier == nil && !session.mayHaveBeenSent)
    }

    /// Removes the draft, unless it is published by now.
    public func discardDraft(_ state: RememberedState, _ client: PublishClient) async throws {
        guard let record = state.value(WordPressPublication.self) else { return }
        let calls = calls(record.root, client)
        for post in try await calls.posts(record) where !post.isPublished {
            try await calls.remove("posts/\(post.id)", "remove the draft")
        }
    }
}

/// The user that the credentials belong to.
struct WordPressUser: Decodable {
    /// The user's permissions, if the site reports them.
    let capabilities: [String: Bool]?

    private enum CodingKeys: CodingKey {
        case capabilities
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        // PHP writes an empty table as an empty list, and plugins write numbers for true: the permissions are
        // then unknown.
        capabilities = try? fields.decode([String: Bool].self, forKey: .capabilities)
    }

    /// - Throws: `not_allowed` if the user lacks a permission that publishing needs.
    func requireAuthor(at site: WebURL) throws(PublishError) {
        guard let capabilities else { return }
        let missing = ["upload_files", "publish_posts"].filter { capabilities[$0] != true }
        guard !missing.isEmpty else { return }
        let error = CalotypeError(
            .notAllowed,
            "the user has no permission to \(missing.joined(separator: " and ")); give the user the Author role, "
                + "or use another user",
            stage: .response,
            url: site.text
        )
        throw PublishError(error, .none)
    }
}
