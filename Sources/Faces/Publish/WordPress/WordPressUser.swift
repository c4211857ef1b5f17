internal import CalotypeCore
internal import CalotypeHTTP

/// Who has signed in.
struct WordPressUser: Decodable {
    /// What they may do, where the site tells.
    let capabilities: [String: Bool]?

    private enum CodingKeys: CodingKey {
        case capabilities
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        // PHP writes an empty table as an empty list, and plugins write numbers for true: then nothing is known.
        capabilities = try? fields.decode([String: Bool].self, forKey: .capabilities)
    }

    /// - Throws: `not_allowed` where the user may not do what publishing takes.
    func requireAuthor(at site: WebURL) throws(PublishFailure) {
        guard let capabilities else { return }
        let missing = ["upload_files", "publish_posts"].filter { capabilities[$0] != true }
        guard !missing.isEmpty else { return }
        let error = CalotypeError(
            .notAllowed,
            "the user lacks the right to \(missing.joined(separator: " and ")); give the role of an author, "
                + "or use another user",
            stage: .response,
            url: site.text
        )
        throw PublishFailure(error, .none)
    }
}
