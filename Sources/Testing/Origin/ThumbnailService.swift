/// Pictures by number, each with a document that says how large its thumbnail is wanted.
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

    /// Sizes from 32 x 24 to 152 x 144, which differ from number to number.
    static let metadata: @Sendable (Call) throws -> ServedPicture = { call in
        let id = try call.id(in: ids)
        return try .json(Metadata(id: id, width: 32 + 8 * (id % 16), height: 24 + 8 * (id * 7 % 16)))
    }
}
