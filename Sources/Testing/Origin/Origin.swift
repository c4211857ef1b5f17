import CalotypeHTTPMessages

/// A web server on 127.0.0.1 that serves pictures and misbehaves when asked to.
///
/// Get one from ``withOrigin(_:_:)``. It speaks HTTP/1.1 with keep-alive; each of its ``words`` does what is said
/// there.
public struct Origin: Sendable {
    /// Scheme, address and port, such as `http://127.0.0.1:39517`, without a slash at the end.
    public let baseURL: String
    /// The port it listens on.
    public let port: Int
    /// The URLs of all pictures with some failing ones mixed in, one a line: what `/demo.txt` answers.
    public var demoList: String { PictureLists.demo(site) }
    private let site: Site
    private var tally: Tally { site.tally }
    var reception: Reception { site.reception }

    init(port: Int, site: Site) {
        baseURL = site.baseURL
        self.port = port
        self.site = site
    }

    /// The paths that are there, the queries that pictures take and the faults of services, each with what it does.
    public static let words: [(word: String, meaning: String)] =
        RouteTable.routes.map { ($0.pattern, $0.summary) } + PictureQuery.help
        + ServiceFault.help.map { ("\(ServiceFault.prefix)/\($0.word)", $0.meaning) }
        + PublishFault.help.map { ("\(PublishFault.prefix)/\($0.word)", $0.meaning) }

    /// What was counted up to now.
    public var statistics: OriginStatistics { tally.statistics }

    /// Waits until the counts are as `isMet` wants them, and returns them.
    ///
    /// - Parameter isMet: looks at the counts at each change, under a lock; it must be quick.
    /// - Returns: the first counts that are so.
    /// - Throws: `CancellationError`.
    public func statistics(
        when isMet: @escaping @Sendable (OriginStatistics) -> Bool
    ) async throws -> OriginStatistics {
        try await tally.statistics(when: isMet)
    }

    /// Draws the icons of all apps that `/icons.txt` lists, so that requests find them in memory, as far as that reaches.
    ///
    /// - Throws: what the codec throws; `CancellationError`.
    public func drawIcons() async throws {
        try await AppStorePictures.drawIcons(of: site)
    }

    /// The URL of the picture called `name`.
    public func pictureURL(_ name: String) -> String {
        url("/pictures/\(PercentEscapes.encodedPath(name))")
    }

    /// The URL of `path`, which begins with a slash and is encoded.
    public func url(_ path: String) -> String {
        baseURL + path
    }
}

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
        "\(robotsURL)/\(PercentEscapes.encodedPath(text)).png"
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

extension Origin {
    /// What was received up to now: media, posts and requests.
    public var received: Received { reception.received }

    /// Waits until what was received is as `isMet` wants it, and returns it.
    ///
    /// What is known of a request may change when its client has gone already, or while its body comes.
    ///
    /// - Parameter isMet: looks at it at each change, under a lock; it must be quick.
    /// - Returns: the first that is so.
    /// - Throws: `CancellationError`.
    public func received(when isMet: @escaping @Sendable (Received) -> Bool) async throws -> Received {
        let reception = reception
        _ = try await statistics { _ in isMet(reception.received) }
        // Nothing is taken away from what was received, but numbers grow.
        return reception.received
    }

    /// The URL of what receives at `path`, such as `/posts` or `/inbox/a.jpg`.
    ///
    /// - Parameters:
    ///   - fault: what goes wrong with it, such as `lost-answer` or `cut:50`; nothing by default. See ``Origin/words``.
    ///   - path: begins with a slash and is encoded.
    /// - Returns: the URL.
    public func publishURL(fault: String? = nil, _ path: String) -> String {
        url((fault.map { "\(PublishFault.prefix)/\($0)" } ?? "") + path)
    }
}
