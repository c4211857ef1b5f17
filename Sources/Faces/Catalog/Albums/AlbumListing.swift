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
