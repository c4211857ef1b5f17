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
        let photos = (0..<photosPerAlbum).map {
            photo(call, album, first + $0, isBroken: isBroken($0, broken))
        }
        return try .json(photos, cacheControl: "max-age=43200")
    }

    /// The addresses contain the photo's number, so that no two photos share one.
    private static func photo(_ call: Call, _ album: Int, _ id: Int, isBroken: Bool) -> Photo {
        let site = call.site
        let root = isBroken ? site.baseURL : call.document.pictureRoot(site)
        let path = isBroken ? site.brokenPath(number: id) : site.picturePath(number: id)
        let small = isBroken ? path : site.smallPath(number: id)
        return Photo(
            albumId: album,
            id: id,
            title: SampleWords.title(id),
            url: "\(root)\(path)?photo=\(id)",
            thumbnailUrl: "\(root)\(small)?photo=\(id)"
        )
    }

    /// Spreads the failing photos evenly.
    private static func isBroken(_ index: Int, _ broken: Int) -> Bool {
        (index + 1) * broken / photosPerAlbum > index * broken / photosPerAlbum
    }
}

/// Numbered pictures, each with a document that contains the target size of its thumbnail.
enum ThumbnailService {
    static let ids = 1...1000

    private struct Metadata: Encodable {
        let id: Int
        let width: Int
        let height: Int
    }

    static let picture: @Sendable (Call) async throws -> ServedPicture = { call in
        try await call.site.picture(number: try call.id(in: ids))
    }

    /// Sizes from 32 x 24 to 152 x 144.
    ///
    /// They depend on the number.
    static let metadata: @Sendable (Call) throws -> ServedPicture = { call in
        let id = try call.id(in: ids)
        return try .json(Metadata(id: id, width: 32 + 8 * (id % 16), height: 24 + 8 * (id * 7 % 16)))
    }
}
