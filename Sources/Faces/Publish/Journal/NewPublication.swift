/// A publication that is to be written into the journal.
struct NewPublication: Sendable {
    let id: String
    let identity: PostIdentity
    let destination: String
    let note: String?
    let text: String
    let items: [(name: String, origin: String)]
}
