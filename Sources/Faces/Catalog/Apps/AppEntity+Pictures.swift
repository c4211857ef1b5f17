extension AppEntity {
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
