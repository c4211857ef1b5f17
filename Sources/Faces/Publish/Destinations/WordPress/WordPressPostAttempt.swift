internal import CalotypeCore
internal import CalotypeHTTP

/// One attempt to publish a post.
struct WordPressPostAttempt {
    let contents: PostDraft
    let entry: WordPressEntry
    let session: PostSession
    let calls: WordPressCalls

    func run(_ record: WordPressPublication, isFirst: Bool) async throws -> PublishedPost {
        let post = try await beforePublishing {
            let post = try await draft(record, isFirst: isFirst)
            if !post.isPublished { try await attachMedia(to: post.id) }
            return post
        }
        return published(post.isPublished ? post : try await flip(post.id))
    }

    /// Runs steps that readers do not see: if one fails, the post is certainly not published.
    private func beforePublishing<Output>(_ body: () async throws -> Output) async throws -> Output {
        do {
            return try await body()
        } catch let error as CalotypeError {
            throw PublishError(error)
        }
    }

    /// Returns the draft, or the post that it has become.
    private func draft(_ record: WordPressPublication, isFirst: Bool) async throws -> WordPressPost {
        var record = record
        guard !isFirst else { return try await create(&record) }
        let found = try await found(&record)
        if let found, found.isPublished { return found }
        session.confirmNotPublished()
        if let found { return found }
        return try await create(&record)
    }

    /// Returns the post that an earlier attempt created.
    private func found(_ record: inout WordPressPublication) async throws -> WordPressPost? {
        var posts = try await calls.posts(record)
        if posts.isEmpty, record.id != nil {
            // The draft is gone; another copy of it may have stayed.
            record.id = nil
            posts = try await calls.posts(record)
        }
        guard let post = try await onlyOne(posts) else { return nil }
        try await remember(post.id, in: &record)
        return post
    }

    private func create(_ record: inout WordPressPublication) async throws -> WordPressPost {
        try await session.remember(record)
        let response = try await calls.post("wp/v2/posts?\(WordPressPost.fields)", entry)
        guard response.isSuccess else { throw response.wordPressFailure("create the draft of the post") }
        var post = try response.json(WordPressPost.self)
        if post.slug != record.slug { post = try await onlyOne(calls.posts(named: record.slug)) ?? post }
        try await remember(post.id, in: &record)
        return post
    }

    /// Keeps one of several drafts, and removes the others.
    ///
    /// There are several if the site carried out a request of an earlier attempt after it was abandoned.
    private func onlyOne(_ posts: [WordPressPost]) async throws -> WordPressPost? {
        let kept = posts.first(where: \.isPublished) ?? posts.first
        for other in posts where other.id != kept?.id && !other.isPublished {
            try await calls.remove("posts/\(other.id)", "remove the duplicate draft")
        }
        return kept
    }

    private func attachMedia(to post: Int) async throws {
        var slugs: [String] = []
        for item in contents.media {
            let call = "wp/v2/media/\(item.uploaded.id)?\(WordPressMedium.fields)"
            let response = try await calls.post(call, ["post": post])
            guard response.isSuccess else {
                throw response.wordPressFailure("attach \(item.medium.name) to the post")
            }
            slugs.append(try response.json(WordPressMedium.self).slug)
        }
        try await calls.removeCopies(of: slugs)
    }

    private func flip(_ id: Int) async throws -> WordPressPost {
        let response = try await sendFlip("wp/v2/posts/\(id)?\(WordPressPost.fields)")
        guard response.isSuccess else {
            let failure = response.wordPressFailure("publish the draft")
            // The site may have published the post before it failed; the next attempt finds out.
            throw PublishError(failure.error, response.failureOfPost().remedy)
        }
        let post = try published(response)
        guard post.isPublished else { throw kept(post) }
        return post
    }

    private func sendFlip(_ call: String) async throws -> PublishResponse {
        let url = try calls.root.url(of: call, at: calls.destination.site)
        do {
            return try await PublishError.settlingRedirects(from: url) {
                try await calls.post(call, entry.published)
            }
        } catch let failure as PublishError {
            // A redirect does not show whether the site has published the post.
            throw PublishError(failure.error, .settle)
        }
    }

    private func published(_ response: PublishResponse) throws -> WordPressPost {
        do {
            return try response.json(WordPressPost.self)
        } catch {
            // The site responded with success, but the response is unreadable; the next attempt finds out.
            throw PublishError(error.error, .settle)
        }
    }

    private func remember(_ id: Int, in record: inout WordPressPublication) async throws {
        record.id = id
        try await session.remember(record)
    }

    private func published(_ post: WordPressPost) -> PublishedPost {
        PublishedPost(id: "\(post.id)", url: post.link, media: contents.media.map(\.uploaded))
    }

    private func kept(_ post: WordPressPost) -> PublishError {
        let error = CalotypeError(
            .notAllowed,
            "the site accepted the post, but its status is \(post.status); publish post \(post.id) there by hand, or use a user "
                + "who can publish",
            stage: .response,
            url: calls.destination.site.text
        )
        return PublishError(error, .none)
    }
}

/// The state that the attempts at a post store.
struct WordPressPublication: Codable {
    let root: WordPressRoot
    /// The slug by which later attempts find the draft; no other post has it.
    let slug: String
    /// The site's ID for the draft, once there is one.
    var id: Int?

    init(root: WordPressRoot, key: String) {
        self.root = root
        slug = "p-\(key.lowercased())"
    }
}

/// A post as the site reports it.
struct WordPressPost: Decodable {
    /// The fields to request.
    static let fields = "_fields=id,slug,status,link"

    let id: Int
    let slug: String
    let status: String
    let link: String?

    /// Whether the post is published, or is scheduled to be.
    ///
    /// A draft is neither, nor is a post that waits for an editor.
    var isPublished: Bool { ["publish", "private", "future"].contains(status) }
}
