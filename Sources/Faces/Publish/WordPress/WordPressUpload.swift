/// What an upload remembers from one attempt to the next.
struct WordPressUpload: Codable {
    let root: WordPressRoot
    /// The name by which the medium is found again; no other has it.
    let slug: String
    /// The number that the site gave the medium, once it has it.
    var id: Int?
    /// When all bytes had left and no answer came, in seconds since 1970: the site may still be storing them.
    var sentAt: Int?
    /// How often the site failed over all bytes of the file.
    var failures = 0
    /// How often the site was asked to make its smaller pictures, after it failed to.
    var processings = 0
    /// Whether these are still missing.
    var isUnprocessed = false

    init(root: WordPressRoot, key: String) {
        self.root = root
        slug = "m-\(key.lowercased())"
    }

    /// Whether a slug is one of ours, and not one that the site made of a title.
    static func isSlug(_ text: String) -> Bool {
        text.hasPrefix("m-") && text.utf8.count > 32
    }
}
