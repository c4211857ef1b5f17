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
        try await AppPictures.drawIcons(of: site)
    }

    /// The URL of the picture called `name`.
    public func pictureURL(_ name: String) -> String {
        url("/pictures/\(PercentCoding.encoded(name))")
    }

    /// The URL of `path`, which begins with a slash and is encoded.
    public func url(_ path: String) -> String {
        baseURL + path
    }
}
