/// An app as an App Store describes it, apart from the shape of the answer it came in.
///
/// Texts of one line have neither line breaks nor other control characters, and the URLs are such as can be loaded from.
public struct AppStoreEntity: Hashable, Sendable, Identifiable {
    /// What its users say.
    public struct Rating: Hashable, Sendable {
        /// The average of the stars, 0 to 5.
        public var average: Double
        /// How many have rated it.
        public var count: Int

        /// Creates a rating.
        public init(average: Double, count: Int) {
            self.average = average
            self.count = count
        }

        /// The average with three significant digits, such as `4.53`.
        public var text: String { ThreeDigits.text(average) }
    }

    /// The store's number for it.
    public let id: Int
    /// Its place in the store's answer, from 1; entries that were left out have places too.
    public var position: Int
    /// Its name.
    public var name: String
    /// Such as `com.example.camera`; `nil` where the answer has none.
    public var bundleID: String?
    /// Who makes it; `nil` where the answer has none.
    public var developer: String?
    /// `nil` where nobody has rated it.
    public var rating: Rating?
    /// As people read it, such as `Free` or `€ 0,99`; `nil` before an app is sold and after it is withdrawn.
    public var price: String?
    /// Its page in the store.
    public var storePage: String
    /// Its icon, in the best size offered; for others see ``iconURL(side:)``.
    public var icon: String
    /// What it looks like on a phone, at most 32 pictures.
    public var phoneScreenshots: [String] = []
    /// What it looks like on a tablet, at most 32 pictures.
    public var tabletScreenshots: [String] = []
    /// Its genres, the main one first.
    public var genres: [String] = []
    /// Its version; `nil` where the answer has none.
    public var version: String?
    /// What the maker says of it, with line feeds; may be empty.
    public var summary = ""

    /// Creates an app of which no more is known.
    public init(id: Int, position: Int = 1, name: String, storePage: String, icon: String) {
        self.id = id
        self.position = position
        self.name = name
        self.storePage = storePage
        self.icon = icon
    }
}

extension AppStoreEntity {
    /// The URL of the icon with a side of `side` pixels, 16 to 1,024.
    ///
    /// The last part of the path of an icon's URL names its size, such as `/512x512bb.jpg`, and another may be asked for
    /// in its place. A URL of another shape is given as it is.
    public func iconURL(side: Int) -> String {
        ArtworkURL.resized(icon, toSide: side)
    }

    /// The icon with a side of `side` pixels, see ``iconURL(side:)``, under the app's name.
    public func iconPicture(side: Int) -> CatalogPicture {
        CatalogPicture(url: iconURL(side: side), title: name)
    }

    /// The screenshots, those of a phone first, each under the app's name and a number from 1.
    public var screenshots: [CatalogPicture] {
        Self.pictures(phoneScreenshots, "\(name), phone")
            + Self.pictures(tabletScreenshots, "\(name), tablet")
    }

    private static func pictures(_ urls: [String], _ title: String) -> [CatalogPicture] {
        urls.enumerated().map { CatalogPicture(url: $1, title: "\(title) \($0 + 1)") }
    }
}

/// The URLs of the App Store's pictures, whose last part names their size, such as `/512x512bb.jpg`.
enum ArtworkURL {
    /// The sides that the store makes.
    private static let sides = 16...1024

    /// The URL of the same picture as a square of another size; `url` itself where its last part names none.
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

/// A small number as people compare it: three significant digits, such as `4.53`.
enum ThreeDigits {
    /// The text of a number from 0 to 9.
    static func text(_ number: Double) -> String {
        // In whole millionths, so that 4.535 is what it looks like and not a little less.
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
