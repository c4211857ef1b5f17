import CalotypeCore

/// An app as the iTunes Search API describes it.
struct AppDescription {
    let record: AppRecord
    let storefront: Storefront
    let baseURL: String
    /// Where the paths of its pictures begin.
    let root: String
    /// The end of the pictures' names.
    let format: String

    /// What is not known is left out.
    var entry: JSONText {
        .object(
            (pictures + identity + figures + words).compactMap { name, value in value.map { (name, $0) } }
        )
    }

    private typealias Members = [(String, JSONText?)]

    private var pictures: Members {
        [
            ("isGameCenterEnabled", .truth(record.genre.name == "Games")),
            ("screenshotUrls", .list(screenshots(record.phoneScreenshots, from: 1, phoneSize))),
            ("ipadScreenshotUrls", .list(screenshots(record.tabletScreenshots, from: 101, "1024x768"))),
            ("appletvScreenshotUrls", .list([])),
            ("artworkUrl60", .text(icon(60))),
            ("artworkUrl512", .text(icon(512))),
            ("artworkUrl100", .text(icon(100))),
        ]
    }

    private var identity: Members {
        [
            ("artistViewUrl", .text("\(page)?developer=\(record.maker.number)")),
            ("features", .list(record.isForTablet ? [.text("iosUniversal")] : [])),
            ("supportedDevices", record.isForMac ? nil : .list(devices)),
            ("advisories", .list([])),
            ("kind", .text(record.isForMac ? "mac-software" : "software")),
            ("wrapperType", .text("software")),
            ("trackId", .whole(record.id)),
            ("trackName", .text(record.name)),
            ("trackCensoredName", .text(record.name)),
            ("trackViewUrl", .text("\(page)?uo=4")),
            ("bundleId", .text(record.bundleID)),
            ("artistId", .whole(280_000_000 + record.maker.number)),
            ("artistName", .text(record.maker.name)),
            ("sellerName", .text(record.maker.name)),
            (
                "sellerUrl",
                record.maker.number % 3 == 0 ? nil : .text("https://maker\(record.maker.number).example")
            ),
        ]
    }

    private var figures: Members {
        let (average, count) = rating
        return [
            ("formattedPrice", record.cents.map { .text(storefront.text(cents: $0)) }),
            ("price", record.cents.map { .number(storefront.amount(cents: $0)) }),
            ("currency", .text(storefront.currency)),
            ("averageUserRating", average),
            ("userRatingCount", count),
            ("averageUserRatingForCurrentVersion", average),
            ("userRatingCountForCurrentVersion", count),
            // A text of digits in the real answers too.
            ("fileSizeBytes", .text(String(record.sizeBytes))),
            ("minimumOsVersion", .text("15.0")),
            ("releaseDate", .text(HTTPDate.iso8601(record.firstRelease))),
            ("currentVersionReleaseDate", .text(HTTPDate.iso8601(record.lastRelease))),
            ("version", .text(record.version)),
            ("isVppDeviceBasedLicensingEnabled", .truth(true)),
        ]
    }

    private var words: Members {
        let genres = [record.genre] + (record.secondGenre.map { [$0] } ?? [])
        return [
            ("primaryGenreName", .text(record.genre.name)),
            ("primaryGenreId", .whole(record.genre.id)),
            ("genres", .list(genres.map { .text($0.name) })),
            ("genreIds", .list(genres.map { .text(String($0.id)) })),
            ("contentAdvisoryRating", .text("4+")),
            ("trackContentRating", .text("4+")),
            ("languageCodesISO2A", .list(["EN", "DE", "FR", "JA"].map { .text($0) })),
            ("releaseNotes", record.notes.map { .text($0) }),
            ("description", .text(record.summary)),
        ]
    }

    private var rating: (JSONText?, JSONText?) {
        switch record.rating {
        case .missing: (nil, nil)
        case .zero: (.whole(0), .whole(0))
        case .stars(let average, let count): (.number(average), .whole(count))
        }
    }

    private var page: String { "\(baseURL)/apps/pages/\(record.id)" }

    private func icon(_ side: Int) -> String {
        "\(root)/apps/icons/\(record.id)/\(side)x\(side)bb.\(format)"
    }

    private var phoneSize: String { record.isForMac ? "800x500" : "392x696" }

    private func screenshots(_ count: Int, from first: Int, _ size: String) -> [JSONText] {
        (0..<count).map { .text("\(root)/apps/screenshots/\(record.id)/\(first + $0)/\(size)bb.\(format)") }
    }

    private var devices: [JSONText] {
        ["Phone-Phone", "PhonePlus-PhonePlus"].map { .text($0) }
            + (record.isForTablet ? [.text("Tablet-Tablet")] : [])
    }
}

extension Storefront {
    private static let europe: Set<String> = [
        "gb", "ie", "nl", "de", "at", "be", "it", "es", "fr", "pt", "fi", "gr", "ch", "se", "dk", "no", "pl",
        "cz",
    ]

    func sells(_ record: AppRecord) -> Bool {
        !record.isOnlyInEurope || Self.europe.contains(country)
    }
}
