extension AppWire {
    /// The most screenshots of a kind that count.
    private static let mostScreenshots = 32

    /// The app that this entry describes, and the faults of its screenshots, which are left out.
    ///
    /// - Throws: why the entry makes no sense.
    func app(at position: Int) throws(AppFault) -> (AppEntity, [AppFault]) {
        try requireSoftware()
        guard let id = trackID, id > 0 else { throw AppFault("it has no number") }
        guard let name = PlainText.line(trackName) else { throw AppFault("it has no name") }
        var app = AppEntity(
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
        var faults: [AppFault] = []
        app.phoneScreenshots = Self.screenshots(phoneScreenshots, &faults)
        app.tabletScreenshots = Self.screenshots(tabletScreenshots, &faults)
        return (app, faults)
    }

    /// Entries without a kind are believed to be what was asked for.
    private func requireSoftware() throws(AppFault) {
        let kinds = ["software", "mac-software"]
        if let kind, !kinds.contains(kind) {
            throw AppFault("it is no app, but of the kind \(PlainText.line(kind) ?? "")")
        }
        if kind == nil, let wrapperType, wrapperType != "software" {
            throw AppFault("it is no app, but \(PlainText.line(wrapperType) ?? "something else")")
        }
    }

    private static func url(_ text: String?, _ name: String) throws(AppFault) -> String {
        guard let text else { throw AppFault("it has no \(name)") }
        if let fault = CatalogURL.fault(text) { throw AppFault("its \(name): \(fault)") }
        return text
    }

    private static func screenshots(_ texts: [String?], _ faults: inout [AppFault]) -> [String] {
        texts.prefix(mostScreenshots).compactMap { text in
            guard let text else {
                faults.append(AppFault("it is no text"))
                return nil
            }
            guard let fault = CatalogURL.fault(text) else { return text }
            faults.append(AppFault(fault))
            return nil
        }
    }

    /// New apps have a rating of 0 by nobody.
    private var rating: AppEntity.Rating? {
        guard let averageRating, let ratingCount, ratingCount > 0, (0...5).contains(averageRating) else {
            return nil
        }
        return AppEntity.Rating(average: averageRating, count: ratingCount)
    }

    /// A price of 0 without a text is that of an app that cannot be had, not of a free one.
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
