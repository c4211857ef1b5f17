internal import CalotypeDigests
internal import CalotypeHTTP

/// Tells posts from one another by what readers see, and by where they go: never by the place of a file.
struct PostIdentity: Sendable {
    /// Equal for posts of the same text, fields and media to the same destination.
    let fingerprint: String
    /// What ``fingerprint`` is in the journal for a post that an earlier version began, of which less is known.
    let earlier: String

    /// - Parameters:
    ///   - post: The post.
    ///   - plans: Its media, which have been read.
    ///   - destination: Where it goes.
    /// - Throws: What a digest fails with.
    init(
        _ post: Post,
        _ plans: [PlannedMedium],
        to destination: any PublishDestination
    ) throws(DigestError) {
        var parts = [
            "2", destination.identity, post.text, post.visibility?.rawValue ?? "", post.language ?? "",
            post.schedule.map { "\($0.secondsSince1970)" } ?? "",
        ]
        for plan in plans {
            let focus = plan.medium.focus.map { "\($0.x) \($0.y)" } ?? ""
            parts += [plan.origin, plan.medium.name ?? "", plan.medium.altText ?? "", focus]
            parts.append(plan.thumbnailOrigin ?? "")
        }
        fingerprint = try Self.digest(parts)
        earlier = try Self.earlier(destination.name, post.text, plans.map(\.origin))
    }

    /// The fingerprint of a publication that was begun before the journal knew more of posts than this.
    static func earlier(
        _ destination: String,
        _ text: String,
        _ origins: [String]
    ) throws(DigestError) -> String {
        try digest(["1", DestinationIdentity.of(destination), text] + origins)
    }

    private static func digest(_ parts: [String]) throws(DigestError) -> String {
        try Digest(.sha256, of: parts.map { "\($0.utf8.count):\($0)" }.joined()).hexadecimal
    }
}
