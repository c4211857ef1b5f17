import CalotypePublish

/// A request to publish a post, as the body of an HTTP request.
struct PostRequest: Decodable, Sendable {
    struct Medium: Decodable, Sendable {
        let file: String
        var alt: String?
        /// Two numbers: see ``Media/Focus``.
        var focus: [Double]?
    }

    let profile: String
    var text: String?
    var contentWarning: String?
    var visibility: String?
    var language: String?
    var schedule: String?
    var media: [Medium]?
    var again: Bool?

    /// Returns the post to store, if all its files exist.
    ///
    /// - Throws: 400 for an invalid request; 409 for a missing file.
    func post(
        _ id: String,
        at created: Int,
        _ profiles: [String: PublishProfile],
        _ files: FileShelf
    ) throws(APIError) -> StoredPost {
        guard profiles[profile] != nil else {
            throw .invalidPost("unknown profile \(profile.prefix(64))")
        }
        if let visibility, Post.Visibility(rawValue: visibility) == nil {
            let all = Post.Visibility.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidPost("visibility must be one of \(all)")
        }
        if let language, !Post.isLanguageTag(language) {
            throw .invalidPost("language must be a language tag such as en or pt-BR")
        }
        let schedule = try schedule.map { text throws(APIError) in
            guard let seconds = RFC3339.seconds(text) else {
                throw .invalidPost(
                    "schedule must be a time with an offset, such as 2026-05-01T09:00:00+02:00"
                )
            }
            return seconds
        }
        let media = try (media ?? []).map { medium throws(APIError) in try medium.stored(files) }
        guard media.count <= Post.mostMedia else {
            throw .invalidPost("a post has at most \(Post.mostMedia) media")
        }
        let text = text ?? ""
        guard !media.isEmpty || text.contains(where: { !$0.isWhitespace }) else {
            throw .invalidPost("the post is empty; add text or media")
        }
        return StoredPost(
            id: id,
            profile: profile,
            text: text,
            contentWarning: contentWarning.flatMap { $0.isEmpty ? nil : $0 },
            visibility: visibility,
            language: language,
            schedule: schedule,
            media: media,
            again: again ?? false,
            created: created
        )
    }
}

extension PostRequest.Medium {
    fileprivate func stored(_ files: FileShelf) throws(APIError) -> StoredPost.Medium {
        guard let known = files[file] else {
            throw APIError(
                409,
                "file_missing",
                "the file \(file.prefix(64)) is no longer available; upload it again"
            )
        }
        if let focus, focus.count != 2 || !focus.allSatisfy({ (-1...1).contains($0) }) {
            throw .invalidPost("focus must be two numbers from -1 (left, bottom) to 1 (right, top)")
        }
        return StoredPost.Medium(file: known.id, name: known.name, alt: alt ?? "", focus: focus)
    }
}

extension APIError {
    fileprivate static func invalidPost(_ message: String) -> APIError {
        APIError(400, "invalid_request", message)
    }
}
