/// The lists of URLs that an origin offers.
enum PictureLists {
    /// What is mixed into the demo's list, one after every ninth picture; nothing that makes a client wait for long.
    private static let oddities: [@Sendable (String) -> String] = [
        { "/redirect/2/\($0)" }, { _ in "/status/404" }, { "/cut/60/\($0)" }, { "/chunked/\($0)" },
        { "/html/\($0)" }, { "/flaky/1/\($0)" }, { "/half/\($0)" }, { _ in "/bomb.png" },
        { "/latency/400/\($0)" }, { "/reset/\($0)" }, { _ in "/status/500" }, { _ in "/loop" },
        { "/wrong-type/\($0)" }, { _ in "/empty" }, { _ in "/garbage" }, { "/no-length/\($0)" },
    ]

    /// All pictures.
    static func plain(_ site: Site) -> String {
        lines(site, site.pictures.names.map { "/pictures/\(PercentCoding.encoded($0))" })
    }

    /// The width and height of the listed icons in pixels.
    static let iconSide = 256

    /// The icons of all apps.
    static func icons(_ site: Site) -> String {
        let name = "\(iconSide)x\(iconSide)bb.\(site.artworkFormat)"
        return lines(site, site.apps.records.map { "/apps/icons/\($0.id)/\(name)" })
    }

    /// All pictures, with oddities mixed in.
    static func demo(_ site: Site) -> String {
        var paths: [String] = []
        for (index, name) in site.pictures.names.enumerated() {
            let encoded = PercentCoding.encoded(name)
            paths.append("/pictures/\(encoded)")
            if index % 9 == 8 { paths.append(oddities[index / 9 % oddities.count](encoded)) }
        }
        return lines(site, paths)
    }

    private static func lines(_ site: Site, _ paths: [String]) -> String {
        paths.map { site.baseURL + $0 }.joined(separator: "\n")
    }
}
