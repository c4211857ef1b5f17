/// A photo of an album, as JSONPlaceholder describes it.
public struct AlbumPhoto: Hashable, Sendable, Identifiable {
    /// The photo's ID in the service.
    public let id: Int
    /// The album's ID; `nil` if the response has none.
    public var albumID: Int?
    /// The position in the response, from 1; skipped photos also count.
    public var position: Int
    /// The title on one line; may be empty.
    public var title: String
    /// The URL of the full-size photo.
    public var url: String
    /// The URL of a thumbnail; `nil` if the response has none that can be loaded.
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

    /// The full-size photo, with its title.
    public var picture: CatalogPicture { CatalogPicture(url: url, title: title) }
    /// The thumbnail if there is one, otherwise the full-size photo, with its title.
    public var thumbnail: CatalogPicture { CatalogPicture(url: thumbnailURL ?? url, title: title) }
}

/// An entry of an album's response as received.
///
/// Every field can be missing or have another type than documented.
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

/// The result of reading an album's response: photos, and the entries that were skipped.
struct AlbumListing {
    private(set) var listing = CatalogListing<AlbumPhoto>(entries: [])
    private var ids: Set<Int> = []

    init(_ response: [LenientElement<AlbumWire>]) {
        for (index, element) in response.enumerated() {
            add(element.value, index + 1)
        }
    }

    private mutating func add(_ wire: AlbumWire?, _ position: Int) {
        guard let wire else { return skip(position, nil, "it is not a JSON object") }
        guard let id = wire.id else { return skip(position, wire, "it has no ID") }
        guard let url = wire.url else { return skip(position, wire, "it has no URL") }
        if let fault = CatalogURL.fault(url) { return skip(position, wire, fault) }
        guard ids.insert(id).inserted else { return skip(position, wire, "its ID is a duplicate") }
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
