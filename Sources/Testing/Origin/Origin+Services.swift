extension Origin {
    /// The base URL of the services under a fault, for a client that is to meet it: search and look-up of apps, albums,
    /// robots and pictures are below it as they are below ``Origin/baseURL``.
    ///
    /// - Parameter fault: such as `html`, `429-after-5` or `pictures-latency-500`; see ``Origin/words``.
    /// - Returns: the URL, without a slash at the end.
    public func faultyURL(_ fault: String) -> String {
        url("\(ServiceFault.prefix)/\(fault)")
    }

    /// Where the robots are.
    public var robotsURL: String { url("/robots") }

    /// Where the users and their certificates are.
    public var peopleURL: String { url("/people") }

    /// Where the numbered pictures with wanted sizes are.
    public var thumbnailsURL: String { url("/thumbs") }

    /// The URL of the JSON list of an album's 50 photos.
    ///
    /// - Parameters:
    ///   - album: 1 to 100; others are answered 404.
    ///   - broken: how many of the photos fail when they are loaded, 0 to 50; they are spread evenly.
    /// - Returns: the encoded URL.
    public func photosURL(album: Int, broken: Int = 0) -> String {
        url("/albums/\(album)/photos") + (broken > 0 ? "?broken=\(broken)" : "")
    }

    /// The URL of the robot for `text`, a PNG of 300 by 300 pixels with a transparent ground.
    public func robotURL(_ text: String) -> String {
        "\(robotsURL)/\(PercentCoding.encoded(text)).png"
    }

    /// The URL of a user as JSON: `id`, `name`, `email`, `avatar`, six `pictures`, `cards`.
    ///
    /// - Parameters:
    ///   - id: 1 to 100; others are answered 404.
    ///   - broken: how many of the pictures, the last ones, fail when they are loaded, 0 to 6.
    /// - Returns: the encoded URL.
    public func userURL(_ id: Int, broken: Int = 0) -> String {
        peopleURL + "/users/\(id)" + (broken > 0 ? "?broken=\(broken)" : "")
    }

    /// The URL of a user's certificates as JSON, each with `id`, `title` and `picture`.
    public func certificatesURL(user id: Int) -> String {
        peopleURL + "/users/\(id)/certificates"
    }

    /// The URL of picture `id`, 1 to 1000; others are answered 404.
    public func thumbnailURL(_ id: Int) -> String {
        thumbnailsURL + "/thumbnails/\(id)"
    }

    /// The URL of the JSON document with the `width` and `height` wanted for the thumbnail of picture `id`.
    public func thumbnailMetadataURL(_ id: Int) -> String {
        thumbnailURL(id) + "/metadata"
    }
}
