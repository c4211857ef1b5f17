import CalotypeCore

/// An entry of an App Store response as received.
///
/// Every field can be missing or have another type than documented.
struct AppStoreWire: Decodable {
    var wrapperType: String?
    var kind: String?
    var trackID: Int?
    var trackName: String?
    var bundleID: String?
    var artistName: String?
    var sellerName: String?
    var storePage: String?
    /// The available icons, largest first.
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

/// An App Store response; its count is unreliable and not used.
struct AppStoreListWire: Decodable {
    var results: [LenientElement<AppStoreWire>]
}

extension AppStoreWire {
    /// The maximum number of screenshots of a kind.
    private static let mostScreenshots = 32

    /// Returns the app of this entry, and the errors of skipped screenshots.
    ///
    /// - Throws: The reason if the entry is invalid.
    func app(at position: Int) throws(CatalogError) -> (AppStoreEntity, [CatalogError]) {
        try requireSoftware()
        guard let id = trackID, id > 0 else { throw CatalogError.unusable("it has no ID") }
        guard let name = PlainText.line(trackName) else { throw CatalogError.unusable("it has no name") }
        var app = AppStoreEntity(
            id: id,
            position: position,
            name: name,
            storePage: try Self.url(storePage, "store page"),
            icon: try Self.url(icons.first, "icon")
        )
        app.bundleID = PlainText.line(bundleID)
        app.developer = PlainText.line(artistName) ?? PlainText.line(sellerName)
        app.rating = rating
        app.price = priceText
        app.genres = genreNames
        app.version = PlainText.line(version)
        app.summary = PlainText.paragraphs(description)
        var faults: [CatalogError] = []
        app.phoneScreenshots = Self.screenshots(phoneScreenshots, &faults)
        app.tabletScreenshots = Self.screenshots(tabletScreenshots, &faults)
        return (app, faults)
    }

    /// An entry without a kind is accepted.
    private func requireSoftware() throws(CatalogError) {
        let kinds = ["software", "mac-software"]
        if let kind, !kinds.contains(kind) {
            throw CatalogError.unusable("it is not an app but has the kind \(PlainText.line(kind) ?? "")")
        }
        if kind == nil, let wrapperType, wrapperType != "software" {
            throw CatalogError.unusable(
                "it is not an app but \(PlainText.line(wrapperType) ?? "something else")"
            )
        }
    }

    private static func url(_ text: String?, _ name: String) throws(CatalogError) -> String {
        guard let text else { throw CatalogError.unusable("it has no \(name)") }
        if let fault = CatalogURL.fault(text) { throw CatalogError.unusable("its \(name): \(fault)") }
        return text
    }

    private static func screenshots(_ texts: [String?], _ faults: inout [CatalogError]) -> [String] {
        texts.prefix(mostScreenshots).compactMap { text in
            guard let text else {
                faults.append(.unusable("it is not a string"))
                return nil
            }
            guard let fault = CatalogURL.fault(text) else { return text }
            faults.append(.unusable(fault))
            return nil
        }
    }

    /// New apps have a rating of 0 from nobody.
    private var rating: AppStoreEntity.Rating? {
        guard let averageRating, let ratingCount, ratingCount > 0, (0...5).contains(averageRating) else {
            return nil
        }
        return AppStoreEntity.Rating(average: averageRating, count: ratingCount)
    }

    /// An app with a price of 0 and no text is not for sale, but not free.
    private var priceText: String? {
        if let text = PlainText.line(formattedPrice) { return text }
        guard let price, price > 0, price < 1e9, let currency = PlainText.line(currency) else { return nil }
        let cents = Int((price * 100).rounded())
        return "\(cents / 100).\(cents % 100 / 10)\(cents % 10) \(currency)"
    }

    private var genreNames: [String] {
        var names: [String] = []
        for name in [primaryGenre] + genres {
            if let name = PlainText.line(name), !names.contains(name) { names.append(name) }
        }
        return names
    }
}

/// The result of reading an App Store response: apps, and the parts that were skipped.
struct AppStoreListing {
    private(set) var listing = CatalogListing<AppStoreEntity>(entries: [])
    private var places: [Int: Int] = [:]

    /// Reads at most `limit` entries of a response.
    init(_ response: AppStoreListWire, limit: Int) {
        for (index, element) in response.results.prefix(limit).enumerated() {
            add(element.value, index + 1)
        }
    }

    private mutating func add(_ wire: AppStoreWire?, _ position: Int) {
        guard let wire else { return skip(position, nil, "it is not a JSON object") }
        do throws(CatalogError) {
            let (app, faults) = try wire.app(at: position)
            if let place = places[app.id] {
                throw CatalogError.unusable("it is the same app as entry \(place)")
            }
            places[app.id] = position
            listing.entries.append(app)
            for fault in faults { skip(position, wire, fault.message, .screenshot) }
        } catch {
            skip(position, wire, error.message)
        }
    }

    private mutating func skip(
        _ position: Int,
        _ wire: AppStoreWire?,
        _ reason: String,
        _ part: SkippedEntry.Part = .entry
    ) {
        let name = PlainText.line(wire?.trackName)
        let entry = SkippedEntry(
            position: position,
            part: part,
            id: wire?.trackID,
            name: name,
            reason: reason
        )
        listing.skipped.append(entry)
    }
}

extension CatalogError {
    /// The reason why an entry, or a part of it, is invalid.
    fileprivate static func unusable(_ reason: String) -> CatalogError {
        CatalogError(.invalidDocument, reason)
    }
}
