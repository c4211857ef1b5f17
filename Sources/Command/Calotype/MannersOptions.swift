import Calotype
import CalotypeBulk
import CalotypeCommandLineKit

/// The options for manners towards hosts, which `fetch` and `dataset` share.
enum MannersOptions {
    static let robots = Flag(
        "robots",
        """
        Follow robots.txt and its Crawl-delay, and refuse images whose response says noai, noimageai, \
        noindex or noimageindex in X-Robots-Tag, or TDM-Reservation: 1. They fail with disallowed_by_robots.
        """
    )
    static let noRobots = Flag(
        "no-robots",
        """
        Do not read robots.txt, and ignore X-Robots-Tag and TDM-Reservation. Make sure that you have the \
        right to use the images.
        """
    )
    static let rate = Option(
        "rate-per-host",
        .number(0.001...10_000),
        """
        Maximum number of requests a second to one host. With this option or --robots, a host that answers \
        429 or 503 or cannot be reached receives no requests for a while, and fewer afterwards. One that \
        stays dead is tried again at the end.
        """
    )

    static let probe = Flag(
        "probe-hosts",
        """
        Send each host one request at a time at first, then twice as many as long as it responds as \
        quickly, and keep to what it takes.
        """
    )
    static let groups = Flag(
        "group-hosts",
        """
        Let hosts with the same address share --per-host, --rate-per-host and pauses. Use it if many names \
        belong to one server.
        """
    )

    /// The group for `fetch`, which follows `robots.txt` only with `--robots`.
    static let group = Command.Group("Manners", [robots, rate])
    /// The group for a command that follows `robots.txt` unless told otherwise.
    static let strictGroup = Command.Group("Manners", [noRobots, rate, probe, groups])

    /// Returns the manners that the arguments of `fetch` ask for; `nil` if they ask for none.
    static func manners(
        _ arguments: ParsedArguments,
        for configuration: PipelineConfiguration
    ) -> HostManners? {
        guard arguments[robots] || arguments[rate] != nil else { return nil }
        return manners(arguments, followsRobots: arguments[robots], for: configuration)
    }

    /// Returns manners that follow `robots.txt` or not, at the pace of the arguments.
    static func manners(
        _ arguments: ParsedArguments,
        followsRobots: Bool,
        for configuration: PipelineConfiguration
    ) -> HostManners {
        var options = HostManners.Options()
        options.followsRobots = followsRobots
        if !followsRobots { options.refusedDirectives = [] }
        options.pace.requestsPerSecond = arguments[rate]
        options.pace.probes = arguments[probe]
        options.groupsByAddress = arguments[groups]
        return HostManners(options, for: configuration)
    }
}
