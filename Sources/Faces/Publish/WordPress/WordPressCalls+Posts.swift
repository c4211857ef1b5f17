internal import CalotypeCore
internal import CalotypeHTTP

extension WordPressCalls {
    /// What the attempts at a post made: the post by its number where that is known, else all that were given its slug, whatever
    /// their status.
    func posts(_ record: WordPressPublication) async throws -> [WordPressPost] {
        guard let id = record.id else { return try await posts(named: record.slug) }
        let answer = try await get("wp/v2/posts/\(id)?context=edit&\(WordPressPost.fields)")
        if answer.status == 404 { return [] }
        guard answer.isSuccess else { throw answer.wordPressFailure("look for the post") }
        return [try answer.json(WordPressPost.self)]
    }

    /// All posts that were given this slug, the oldest first; the site puts a number behind it where another post has it.
    func posts(named slug: String) async throws -> [WordPressPost] {
        let slugs = ([slug] + (2...5).map { "\(slug)-\($0)" }).joined(separator: ",")
        let states = "publish,future,draft,pending,private"
        let order = "orderby=id&order=asc"
        let call = "wp/v2/posts?slug=\(slugs)&status=\(states)&context=edit&\(order)&\(WordPressPost.fields)"
        let answer = try await get(call)
        guard answer.isSuccess else { throw answer.wordPressFailure("look for the post") }
        return try answer.json([WordPressPost].self)
    }
}
