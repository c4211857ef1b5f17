/// An entry of an album's answer, as it comes: every field may be missing, or of another type than documented.
struct AlbumWire: Decodable {
    var id: Int?
    var albumID: Int?
    var title: String?
    var url: String?
    var thumbnailURL: String?

    private enum Key: String, CodingKey {
        case id, albumId, title, url, thumbnailUrl
    }

    init(from decoder: any Decoder) throws {
        let fields = LenientFields(try decoder.container(keyedBy: Key.self))
        id = fields.integer(.id)
        albumID = fields.integer(.albumId)
        title = fields.text(.title)
        url = fields.text(.url)
        thumbnailURL = fields.text(.thumbnailUrl)
    }
}
