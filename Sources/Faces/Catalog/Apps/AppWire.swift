/// An entry of an App Store's answer, as it comes: every field may be missing, or of another type than documented.
struct AppWire: Decodable {
    var wrapperType: String?
    var kind: String?
    var trackID: Int?
    var trackName: String?
    var bundleID: String?
    var artistName: String?
    var sellerName: String?
    var storePage: String?
    /// The icons that are offered, the largest first.
    var icons: [String]
    var averageRating: Double?
    var ratingCount: Int?
    var formattedPrice: String?
    var price: Double?
    var currency: String?
    var phoneScreenshots: [String?]
    var tabletScreenshots: [String?]
    var primaryGenre: String?
    var genres: [String?]
    var version: String?
    var description: String?

    private enum Key: String, CodingKey {
        case wrapperType, kind, trackId, trackName, bundleId, artistName, sellerName, trackViewUrl
        case artworkUrl512, artworkUrl100, artworkUrl60
        case averageUserRating, userRatingCount, formattedPrice, price, currency
        case screenshotUrls, ipadScreenshotUrls, primaryGenreName, genres, version, description
    }

    init(from decoder: any Decoder) throws {
        let fields = LenientFields(try decoder.container(keyedBy: Key.self))
        wrapperType = fields.text(.wrapperType)
        kind = fields.text(.kind)
        trackID = fields.integer(.trackId)
        trackName = fields.text(.trackName)
        bundleID = fields.text(.bundleId)
        artistName = fields.text(.artistName)
        sellerName = fields.text(.sellerName)
        storePage = fields.text(.trackViewUrl)
        icons = [Key.artworkUrl512, .artworkUrl100, .artworkUrl60].compactMap { fields.text($0) }
        averageRating = fields.number(.averageUserRating)
        ratingCount = fields.integer(.userRatingCount)
        formattedPrice = fields.text(.formattedPrice)
        price = fields.number(.price)
        currency = fields.text(.currency)
        phoneScreenshots = fields.texts(.screenshotUrls)
        tabletScreenshots = fields.texts(.ipadScreenshotUrls)
        primaryGenre = fields.text(.primaryGenreName)
        genres = fields.texts(.genres)
        version = fields.text(.version)
        description = fields.text(.description)
    }
}
