internal import CalotypeCore
public import CalotypeHTTP

/// A WordPress site, by its REST interface and an application password.
///
/// A post becomes a draft, gets its media, and is then published, so that it is seen whole or not at all. It has no title; its
/// text becomes paragraphs, its media blocks in their order, its first picture the featured one. Media and draft carry names of our
/// own choosing, by which they are found again after an answer was lost.
///
/// WordPress knows no focus, no thumbnail of a file and no language of a post: they are left out. ``Post/Visibility/followers``
/// becomes a private post, which only the site's editors see, and can have no schedule; a post for
/// ``Post/Visibility/direct`` is refused; every other is seen by everybody.
public struct WordPressDestination: PublishDestination {
    /// The site's address, such as `https://example.org/blog/`.
    public let site: WebURL
    let user: String
    let password: Secret

    /// Creates a destination.
    ///
    /// - Parameters:
    ///   - site: Where the site's home page is; its query is left out.
    ///   - user: The name of a user who may publish posts and upload files.
    ///   - password: An application password of this user; the password for logging in does not do.
    public init(site: WebURL, user: String, password: Secret) {
        self.site = site
        self.user = user
        self.password = password
    }

    /// The kind and the site's address.
    public var name: String { "wordpress+\(site.withoutQuery)" }
    /// It does: WordPress compares it.
    public var needsMD5: Bool { true }

    /// Finds the REST interface, and checks that the user may do what a post needs.
    ///
    /// The site does not tell what it takes; a file that is too large is refused when it is sent.
    public func limits(_ client: PublishClient) async throws -> MediaLimits {
        let root = try await WordPressRoot.find(of: self, client)
        let path = "wp/v2/users/me?context=edit&_fields=id,capabilities"
        let answer = try await calls(root, client).get(path)
        guard answer.isSuccess else { throw answer.wordPressFailure("sign in") }
        try answer.json(WordPressUser.self).requireAuthor(at: site)
        var limits = MediaLimits()
        limits.visibilities = [.everyone, .unlisted, .followers]
        return limits
    }

    func calls(_ root: WordPressRoot, _ client: PublishClient) -> WordPressCalls {
        WordPressCalls(destination: self, root: root, client: client)
    }
}
