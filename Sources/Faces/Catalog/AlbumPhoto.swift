/// A photo of an album, as JSONPlaceholder describes it.
public struct AlbumPhoto: Hashable, Sendable, Identifiable {
    /// The service's number for it.
    public let id: Int
    /// The album's number; `nil` where the answer has none.
    public var albumID: Int?
    /// Its place in the answer, from 1; photos that were left out have places too.
    public var position: Int
    /// Its title on one line; may be empty.
    public var title: String
    /// Where the whole photo is.
    public var url: String
    /// Where a small one is; `nil` where the answer has none that can be loaded.
    public var thumbnailURL: String?

    /// Creates a photo.
    public init(
        id: Int,
        albumID: Int? = nil,
        position: Int = 1,
        title: String = "",
        url: String,
        thumbnailURL: String? = nil
    ) {
        self.id = id
        self.albumID = albumID
        self.position = position
        self.title = title
        self.url = url
        self.thumbnailURL = thumbnailURL
    }

    /// The whole photo, under its title.
    public var picture: CatalogPicture { CatalogPicture(url: url, title: title) }
    /// The small photo where there is one, otherwise the whole one, under its title.
    public var thumbnail: CatalogPicture { CatalogPicture(url: thumbnailURL ?? url, title: title) }
}

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

/// What the entries of an album's answer make: photos, and notes of what was left out.
struct AlbumListing {
    private(set) var listing = CatalogListing<AlbumPhoto>(entries: [])
    private var ids: Set<Int> = []

    init(_ answer: [LenientElement<AlbumWire>]) {
        for (index, element) in answer.enumerated() {
            add(element.value, index + 1)
        }
    }

    private mutating func add(_ wire: AlbumWire?, _ position: Int) {
        guard let wire else { return skip(position, nil, "it is no JSON object") }
        guard let id = wire.id else { return skip(position, wire, "it has no number") }
        guard let url = wire.url else { return skip(position, wire, "it has no URL") }
        if let fault = CatalogURL.fault(url) { return skip(position, wire, fault) }
        guard ids.insert(id).inserted else { return skip(position, wire, "its number was there before") }
        let photo = AlbumPhoto(
            id: id,
            albumID: wire.albumID,
            position: position,
            title: PlainText.line(wire.title) ?? "",
            url: url,
            thumbnailURL: wire.thumbnailURL.flatMap { CatalogURL.fault($0) == nil ? $0 : nil }
        )
        listing.entries.append(photo)
    }

    private mutating func skip(_ position: Int, _ wire: AlbumWire?, _ reason: String) {
        let name = PlainText.line(wire?.title)
        listing.skipped.append(SkippedEntry(position: position, id: wire?.id, name: name, reason: reason))
    }
}
