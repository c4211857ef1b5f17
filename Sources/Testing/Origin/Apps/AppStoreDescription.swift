import CalotypeCore
import CalotypeHTTPMessages
import CalotypeSamplePictures

/// An app as the iTunes Search API describes it.
struct AppStoreDescription {
    let record: AppStoreRecord
    let storefront: Storefront
    let baseURL: String
    /// The prefix of its pictures' paths.
    let root: String
    /// The extension of the pictures' names.
    let format: String

    /// The entry.
    ///
    /// Unknown values are left out.
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
            // The real responses also write it as text.
            ("fileSizeBytes", .text(String(record.sizeBytes))),
            ("minimumOsVersion", .text("15.0")),
            ("releaseDate", .text(WallTime(secondsSince1970: record.firstRelease).internetText)),
            ("currentVersionReleaseDate", .text(WallTime(secondsSince1970: record.lastRelease).internetText)),
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

    func sells(_ record: AppStoreRecord) -> Bool {
        !record.isOnlyInEurope || Self.europe.contains(country)
    }
}

/// A country's store: its currency, and how it writes a price.
struct Storefront: Sendable {
    /// How the store writes an amount.
    private enum Style {
        /// `$0.99`
        case before(String)
        /// `€ 0,99`
        case beforeWithComma(String)
        /// `0,99 €`
        case after(String)
        /// `¥160`: no decimals, and a local amount for each dollar.
        case whole(String, perDollar: Int)
    }

    /// Two letters (ISO 3166).
    let country: String
    /// Three letters (ISO 4217).
    let currency: String
    private let style: Style
    private let free: String

    /// Returns the store of `country`, in letters of any case, or `nil` if there is none.
    static func of(_ country: String) -> Storefront? {
        let code = country.lowercased()
        if let known = known[code] { return known }
        guard others.contains(Substring(code)) else { return nil }
        return Storefront(country: code, currency: "USD", style: .before("$"), free: "Free")
    }

    /// Returns the price text for an amount in US cents; 0 is free.
    func text(cents: Int) -> String {
        guard cents > 0 else { return free }
        switch style {
        case .before(let sign): return sign + Self.decimal(cents, ".")
        case .beforeWithComma(let sign): return sign + Self.decimal(cents, ",")
        case .after(let sign): return Self.decimal(cents, ",") + "\u{a0}" + sign
        case .whole(let sign, let perDollar): return sign + Self.grouped((cents + 1) / 100 * perDollar)
        }
    }

    /// Converts the amount to the store's currency.
    func amount(cents: Int) -> Double {
        if case .whole(_, let perDollar) = style { return Double((cents + 1) / 100 * perDollar) }
        return Double(cents) / 100
    }

    private static func decimal(_ cents: Int, _ point: String) -> String {
        let rest = cents % 100
        return "\(cents / 100)\(point)\(rest < 10 ? "0" : "")\(rest)"
    }

    private static func grouped(_ number: Int) -> String {
        guard number >= 1000 else { return "\(number)" }
        let rest = String(number % 1000)
        return "\(number / 1000),\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }

    private static let known: [String: Storefront] = {
        let euro = Style.after("€")
        let list: [(String, String, Style, String)] = [
            ("us", "USD", .before("$"), "Free"), ("gb", "GBP", .before("£"), "Free"),
            ("au", "AUD", .before("$"), "Free"), ("ca", "CAD", .before("$"), "Free"),
            ("nz", "NZD", .before("$"), "Free"), ("ie", "EUR", .before("€"), "Free"),
            ("nl", "EUR", .beforeWithComma("€ "), "Gratis"), ("de", "EUR", euro, "Gratis"),
            ("at", "EUR", euro, "Gratis"), ("be", "EUR", euro, "Gratis"), ("it", "EUR", euro, "Gratis"),
            ("es", "EUR", euro, "Gratis"), ("fr", "EUR", euro, "Gratuit"), ("pt", "EUR", euro, "Grátis"),
            ("fi", "EUR", euro, "Maksuton"), ("gr", "EUR", euro, "Δωρεάν"),
            ("ch", "CHF", .before("CHF "), "Gratis"), ("se", "SEK", .whole("kr ", perDollar: 12), "Gratis"),
            ("dk", "DKK", .whole("kr ", perDollar: 9), "Gratis"),
            ("no", "NOK", .whole("kr ", perDollar: 12), "Gratis"),
            ("pl", "PLN", .after("zł"), "Bezpłatne"), ("cz", "CZK", .whole("Kč ", perDollar: 29), "Zdarma"),
            ("br", "BRL", .beforeWithComma("R$ "), "Grátis"),
            ("mx", "MXN", .whole("$", perDollar: 19), "Gratis"),
            ("jp", "JPY", .whole("¥", perDollar: 160), "無料"),
            ("kr", "KRW", .whole("₩", perDollar: 1500), "무료"),
            ("cn", "CNY", .whole("¥", perDollar: 8), "免费"),
            ("in", "INR", .whole("₹ ", perDollar: 99), "Free"),
            ("tr", "TRY", .whole("₺", perDollar: 40), "Ücretsiz"),
        ]
        return Dictionary(
            uniqueKeysWithValues: list.map { country, currency, style, free in
                (country, Storefront(country: country, currency: currency, style: style, free: free))
            }
        )
    }()

    /// Stores that sell in dollars.
    private static let others = Set(
        """
        ae ag ai al am ao ar az bb bg bh bj bn bo bs bt bw by bz cg cl co cr cv cy dm do dz ec ee eg fj fm gd ge gh gm \
        gt gw gy hk hn hr hu id il is jm jo ke kg kh kn kw ky kz la lb lc lk lr lt lu lv ma md mg mk ml mn mo mr ms mt \
        mu mw my mz na ne ng ni np om pa pe pg ph pk pw py qa ro rs ru sa sb sc sg si sk sl sn sr st sv sz tc td th tj \
        tm tn tt tw tz ua ug uy uz vc ve vg vn ye za zm zw
        """.split(separator: " ")
    )
}
