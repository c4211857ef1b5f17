/// A post as the site tells of it.
struct WordPressPost: Decodable {
    /// What of it is asked for.
    static let fields = "_fields=id,slug,status,link"

    let id: Int
    let slug: String
    let status: String
    let link: String?

    /// Whether it is published, or will be by itself; a draft is not, nor what waits for an editor.
    var isPublished: Bool { ["publish", "private", "future"].contains(status) }
}
