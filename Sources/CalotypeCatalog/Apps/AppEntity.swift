/// An app as an App Store describes it, apart from the shape of the answer it came in.
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
    }

    /// The store's number for it.
    public let id: Int
    /// Its place in the results, from 1.
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
    /// Its icon, in the best size offered.
    public var icon: String
    /// What it looks like on a phone.
    public var phoneScreenshots: [String]
    /// What it looks like on a tablet.
    public var tabletScreenshots: [String]
    /// Its genres, the main one first.
    public var genres: [String]
    /// Its version; `nil` where the answer has none.
    public var version: String?
    /// What the maker says of it; may be empty.
    public var summary: String
}
