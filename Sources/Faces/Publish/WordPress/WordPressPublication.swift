/// What the attempts at a post remember.
struct WordPressPublication: Codable {
    let root: WordPressRoot
    /// The name by which the draft is found again; no other has it.
    let slug: String
    /// The number that the site gave the draft, once it has it.
    var id: Int?

    init(root: WordPressRoot, key: String) {
        self.root = root
        slug = "p-\(key.lowercased())"
    }
}
