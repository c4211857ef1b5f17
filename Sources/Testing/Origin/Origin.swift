import CalotypeHTTPMessages

/// A web server on 127.0.0.1 that serves pictures and simulates faults on demand.
///
/// Create one with ``withOrigin(_:_:)``. It speaks HTTP/1.1 with keep-alive. ``words`` describes what each
/// path does.
public struct Origin: Sendable {
    /// Scheme, address and port, such as `http://127.0.0.1:39517`, without a slash at the end.
    public let baseURL: String
    /// The port it listens on.
    public let port: Int
    /// The URLs of all pictures mixed with some that fail, one per line: the response to `/demo.txt`.
    public var demoList: String { PictureLists.demo(site) }
    private let site: Site
    private var tally: Tally { site.tally }
    var reception: Reception { site.reception }

    init(port: Int, site: Site) {
        baseURL = site.baseURL
        self.port = port
        self.site = site
    }

    /// The origin's paths, the queries that pictures accept and the faults of services, with their effects.
    public static let words: [(word: String, meaning: String)] =
        RouteTable.routes.map { ($0.pattern, $0.summary) } + PictureParameters.help
        + ServiceFault.help.map { ("\(ServiceFault.prefix)/\($0.word)", $0.meaning) }
        + PublishFault.help.map { ("\(PublishFault.prefix)/\($0.word)", $0.meaning) }

    /// The counts up to now.
    public var statistics: OriginStatistics { tally.statistics }

    /// Waits until the counts satisfy `isMet`, and returns them.
    ///
    /// - Parameter isMet: inspects the counts after each change, under a lock; it must be quick.
    /// - Returns: the first counts that satisfy `isMet`.
    /// - Throws: `CancellationError`.
    public func statistics(
        when isMet: @escaping @Sendable (OriginStatistics) -> Bool
    ) async throws -> OriginStatistics {
        try await tally.statistics(when: isMet)
    }

    /// Draws the icons of all apps that `/icons.txt` lists, and caches them as far as the memory allows.
    ///
    /// - Throws: what the codec throws; `CancellationError`.
    public func drawIcons() async throws {
        try await AppStorePictures.drawIcons(of: site)
    }

    /// Returns the URL of the picture called `name`.
    public func pictureURL(_ name: String) -> String {
        url("/pictures/\(PercentEscapes.encodedPath(name))")
    }

    /// Returns the URL of `path`, which begins with a slash and is encoded.
    public func url(_ path: String) -> String {
        baseURL + path
    }
}

extension Origin {
    /// Returns the base URL of the services under a fault.
    ///
    /// Search and lookup of apps, albums, robots and pictures are below it as they are below
    /// ``Origin/baseURL``.
    ///
    /// - Parameter fault: such as `html`, `429-after-5` or `pictures-latency-500`; see ``Origin/words``.
    /// - Returns: the URL, without a slash at the end.
    public func faultyURL(_ fault: String) -> String {
        url("\(ServiceFault.prefix)/\(fault)")
    }

    /// The URL of the robots.
    public var robotsURL: String { url("/robots") }

    /// The URL of the users and their certificates.
    public var peopleURL: String { url("/people") }

    /// The URL of the numbered pictures and their target sizes.
    public var thumbnailsURL: String { url("/thumbs") }

    /// Returns the URL of the JSON list of an album's 50 photos.
    ///
    /// - Parameters:
    ///   - album: 1 to 100; others return 404.
    ///   - broken: how many of the photos fail to load, 0 to 50, evenly spread.
    /// - Returns: the encoded URL.
    public func photosURL(album: Int, broken: Int = 0) -> String {
        url("/albums/\(album)/photos") + (broken > 0 ? "?broken=\(broken)" : "")
    }

    /// Returns the URL of the robot for `text`, a PNG of 300 by 300 pixels with a transparent background.
    public func robotURL(_ text: String) -> String {
        "\(robotsURL)/\(PercentEscapes.encodedPath(text)).png"
    }

    /// Returns the URL of a user as JSON: `id`, `name`, `email`, `avatar`, six `pictures`, `cards`.
    ///
    /// - Parameters:
    ///   - id: 1 to 100; others return 404.
    ///   - broken: how many of the pictures, counted from the last, fail to load, 0 to 6.
    /// - Returns: the encoded URL.
    public func userURL(_ id: Int, broken: Int = 0) -> String {
        peopleURL + "/users/\(id)" + (broken > 0 ? "?broken=\(broken)" : "")
    }

    /// Returns the URL of a user's certificates as JSON, each with `id`, `title` and `picture`.
    public func certificatesURL(user id: Int) -> String {
        peopleURL + "/users/\(id)/certificates"
    }

    /// Returns the URL of picture `id`, 1 to 1000; others return 404.
    public func thumbnailURL(_ id: Int) -> String {
        thumbnailsURL + "/thumbnails/\(id)"
    }

    /// Returns the URL of a JSON document with the target `width` and `height` of thumbnail `id`.
    public func thumbnailMetadataURL(_ id: Int) -> String {
        thumbnailURL(id) + "/metadata"
    }
}

extension Origin {
    /// The media, posts and requests received up to now.
    public var received: Received { reception.received }

    /// Waits until what the origin received satisfies `isMet`, and returns it.
    ///
    /// The record of a request may change while its body arrives, and even after its client has gone.
    ///
    /// - Parameter isMet: inspects the record after each change, under a lock; it must be quick.
    /// - Returns: the first record that satisfies `isMet`.
    /// - Throws: `CancellationError`.
    public func received(when isMet: @escaping @Sendable (Received) -> Bool) async throws -> Received {
        let reception = reception
        _ = try await statistics { _ in isMet(reception.received) }
        // Nothing is removed from the record, but its counts grow.
        return reception.received
    }

    /// Returns the URL of the receiver at `path`, such as `/posts` or `/inbox/a.jpg`.
    ///
    /// - Parameters:
    ///   - fault: the fault to simulate, such as `lost-answer` or `cut:50`; none by default. See
    ///     ``Origin/words``.
    ///   - path: begins with a slash and is encoded.
    /// - Returns: the URL.
    public func publishURL(fault: String? = nil, _ path: String) -> String {
        url((fault.map { "\(PublishFault.prefix)/\($0)" } ?? "") + path)
    }
}
