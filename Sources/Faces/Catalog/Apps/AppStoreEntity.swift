/// An app in an App Store, independent of the format of the response.
///
/// Single-line texts contain neither line breaks nor other control characters, and all URLs can be loaded
/// from.
public struct AppStoreEntity: Hashable, Sendable, Identifiable {
    /// The users' rating.
    public struct Rating: Hashable, Sendable {
        /// The average number of stars, 0 to 5.
        public var average: Double
        /// The number of ratings.
        public var count: Int

        /// Creates a rating.
        public init(average: Double, count: Int) {
            self.average = average
            self.count = count
        }

        /// The average with three significant digits, such as `4.53`.
        public var text: String { ThreeDigits.text(average) }
    }

    /// The app's ID in the store.
    public let id: Int
    /// The position in the response, from 1; skipped entries also count.
    public var position: Int
    /// The app's name.
    public var name: String
    /// The bundle ID, such as `com.example.camera`; `nil` if the response has none.
    public var bundleID: String?
    /// The developer's name; `nil` if the response has none.
    public var developer: String?
    /// The rating; `nil` if nobody has rated the app.
    public var rating: Rating?
    /// The price as text, such as `Free` or `€ 0,99`.
    ///
    /// It is `nil` before an app is released and after it is withdrawn.
    public var price: String?
    /// The URL of the app's page in the store.
    public var storePage: String
    /// The URL of the icon in the best size; for other sizes see ``iconURL(side:)``.
    public var icon: String
    /// URLs of phone screenshots, at most 32.
    public var phoneScreenshots: [String] = []
    /// URLs of tablet screenshots, at most 32.
    public var tabletScreenshots: [String] = []
    /// The genres, with the main one first.
    public var genres: [String] = []
    /// The version; `nil` if the response has none.
    public var version: String?
    /// The developer's description, with line feeds; may be empty.
    public var summary = ""

    /// Creates an app with only the required fields.
    public init(id: Int, position: Int = 1, name: String, storePage: String, icon: String) {
        self.id = id
        self.position = position
        self.name = name
        self.storePage = storePage
        self.icon = icon
    }
}

extension AppStoreEntity {
    /// Returns the URL of the icon with a side of `side` pixels, 16 to 1,024.
    ///
    /// The last path component of an icon's URL contains its size, such as `/512x512bb.jpg`, and can be
    /// replaced to request another size. A URL in another format is returned unchanged.
    public func iconURL(side: Int) -> String {
        ArtworkURL.resized(icon, toSide: side)
    }

    /// Returns the icon with a side of `side` pixels, see ``iconURL(side:)``, with the app's name as title.
    public func iconPicture(side: Int) -> CatalogPicture {
        CatalogPicture(url: iconURL(side: side), title: name)
    }

    /// The screenshots, with those of a phone first, each with the app's name and a number from 1 as title.
    public var screenshots: [CatalogPicture] {
        Self.pictures(phoneScreenshots, "\(name), phone")
            + Self.pictures(tabletScreenshots, "\(name), tablet")
    }

    private static func pictures(_ urls: [String], _ title: String) -> [CatalogPicture] {
        urls.enumerated().map { CatalogPicture(url: $1, title: "\(title) \($0 + 1)") }
    }
}

/// URLs of the App Store's images, whose last component contains their size, such as `/512x512bb.jpg`.
enum ArtworkURL {
    /// The sizes that the store offers.
    private static let sides = 16...1024

    /// Returns the URL of the same image as a square of another size; `url` itself if it contains no size.
    static func resized(_ url: String, toSide side: Int) -> String {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        guard let slash = url[..<end].lastIndex(of: "/") else { return url }
        let name = url[url.index(after: slash)..<end]
        guard let rest = name.wholeMatch(of: /[0-9]{1,4}x[0-9]{1,4}([a-z]{0,4}(?:-[0-9]{1,3})?\.[a-z]{2,5})/)
        else { return url }
        let side = min(max(side, sides.lowerBound), sides.upperBound)
        return "\(url[...slash])\(side)x\(side)\(rest.1)\(url[end...])"
    }
}

/// Formats a small number with three significant digits, such as `4.53`.
enum ThreeDigits {
    /// Returns the text of a number from 0 to 9.
    static func text(_ number: Double) -> String {
        // Rounds in whole millionths, so that 4.535 is not slightly less than it looks.
        let millionths = Int((min(max(number, 0), 9) * 1_000_000).rounded())
        for decimals in 2...6 {
            let unit = power(6 - decimals)
            let digits = (millionths + unit / 2) / unit
            if digits >= 100 { return text(digits, decimals) }
        }
        return "0.00"
    }

    private static func text(_ digits: Int, _ decimals: Int) -> String {
        let whole = digits / power(decimals)
        let rest = "\(digits % power(decimals))"
        return "\(whole)." + String(repeating: "0", count: decimals - rest.count) + rest
    }

    private static func power(_ exponent: Int) -> Int {
        (0..<exponent).reduce(1) { product, _ in product * 10 }
    }
}
