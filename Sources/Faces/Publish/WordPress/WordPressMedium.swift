/// A medium as the site tells of it.
struct WordPressMedium: Decodable {
    /// What of it is asked for.
    static let fields = "_fields=id,slug,source_url,missing_image_sizes"

    let id: Int
    let slug: String
    let url: String
    /// The smaller pictures that the site has not made, because it was interrupted or cannot.
    let missingSizes: [String]?

    private enum CodingKeys: String, CodingKey {
        case id, slug
        case url = "source_url"
        case missingSizes = "missing_image_sizes"
    }

    var uploaded: UploadedMedium { UploadedMedium(id: "\(id)", url: url) }
}
