/// A medium that the server took and may still be working on; this is what the journal keeps.
struct MastodonUpload: Codable {
    /// The server's name for it.
    var id: String
    /// Where it can be seen, if that was told when it was taken.
    var url: String?
    /// Whether the answer that took it said that nothing is left to be done.
    var isSaidReady: Bool

    var uploaded: UploadedMedium { UploadedMedium(id: id, url: url) }

    init(_ attachment: MastodonAttachment, status: Int) {
        id = attachment.id.text
        url = attachment.url
        isSaidReady = status != 202
    }
}

/// A medium as the server tells it.
struct MastodonAttachment: Decodable {
    var id: MastodonID
    /// Where it can be seen; `nil` until it is processed.
    var url: String?
}
