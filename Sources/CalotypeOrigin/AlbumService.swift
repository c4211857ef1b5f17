/// Photo albums in the shape of JSONPlaceholder's.
enum AlbumService {
    static let albums = 1...100
    static let photosPerAlbum = 50

    private struct Photo: Encodable {
        let albumId: Int
        let id: Int
        let title: String
        let url: String
        let thumbnailUrl: String
    }

    static let photos: @Sendable (Call) throws -> ServedPicture = { call in
        let album = try call.id(in: albums)
        let broken = try call.count("broken", in: 0...photosPerAlbum)
        let first = (album - 1) * photosPerAlbum + 1
        return try .json(
            (0..<photosPerAlbum).map { photo(call.site, album, first + $0, isBroken: isBroken($0, broken)) }
        )
    }

    /// The address holds the photo's number, so that no two photos have the same one.
    private static func photo(_ site: Site, _ album: Int, _ id: Int, isBroken: Bool) -> Photo {
        let path = isBroken ? site.brokenPath(number: id) : site.picturePath(number: id)
        let url = "\(site.baseURL)\(path)?photo=\(id)"
        return Photo(albumId: album, id: id, title: SampleWords.title(id), url: url, thumbnailUrl: url)
    }

    /// Spreads the broken ones evenly.
    private static func isBroken(_ index: Int, _ broken: Int) -> Bool {
        (index + 1) * broken / photosPerAlbum > index * broken / photosPerAlbum
    }
}
