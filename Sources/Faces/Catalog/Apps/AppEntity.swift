/// An app as an App Store describes it, apart from the shape of the answer it came in.
///
/// Texts of one line have neither line breaks nor other control characters, and the URLs are such as can be loaded from.
public struct AppEntity: Hashable, Sendable, Identifiable {
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
