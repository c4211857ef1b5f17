import CalotypeHTTPMessages

/// The page that lists the origin's contents.
enum IndexPage {
    private static let style = """
        body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
        table{border-collapse:collapse}td{padding:.2rem 1rem .2rem 0;vertical-align:top}
        code{white-space:nowrap}img{height:8rem;border-radius:4px;margin:2px}
        """

    static func html(for site: Site) -> String {
        let words = Origin.words
        let rows = words.map { word, summary in
            "<tr><td><code>\(escaped(word))</code></td><td>\(escaped(summary))</td></tr>"
        }
        let pictures = site.pictures.names.prefix(6).map { name in
            "<img alt=\"\(escaped(name))\" src=\"/pictures/\(PercentEscapes.encodedPath(name))\">"
        }
        return """
            <!doctype html><html lang="en"><meta charset="utf-8"><title>Calotype origin</title>
            <style>\(style)</style>
            <h1>Calotype origin</h1>
            <p>\(site.pictures.names.count) sample images, to try and test programs that load images.
            <a href="/list.txt">List</a>, <a href="/demo.txt">list with failures</a>, <a href="/stats">counts</a>.</p>
            <p>\(pictures.joined())</p>
            <p>\(icons(for: site).joined())</p>
            <table>\(rows.joined(separator: "\n"))</table></html>

            """
    }

    /// Some icons and robots.
    private static func icons(for site: Site) -> [String] {
        let icons = site.apps.records.prefix(9).map { record in
            (record.name, "/apps/icons/\(record.id)/128x128bb.\(site.artworkFormat)")
        }
        let robots = ["set1", "set2", "set4", "set5"].map { ("robot", "/robots/set_\($0)/calotype.png") }
        return (icons + robots).map { name, path in
            "<img style=\"height:4rem;border-radius:22%\" alt=\"\(escaped(name))\" src=\"\(path)\">"
        }
    }

    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }
}

/// The lists of URLs that an origin offers.
enum PictureLists {
    /// The failures in the demo list, one after every ninth picture.
    ///
    /// None makes a client wait for long.
    private static let oddities: [@Sendable (String) -> String] = [
        { "/redirect/2/\($0)" }, { _ in "/status/404" }, { "/cut/60/\($0)" }, { "/chunked/\($0)" },
        { "/html/\($0)" }, { "/flaky/1/\($0)" }, { "/half/\($0)" }, { _ in "/bomb.png" },
        { "/latency/400/\($0)" }, { "/reset/\($0)" }, { _ in "/status/500" }, { _ in "/loop" },
        { "/wrong-type/\($0)" }, { _ in "/empty" }, { _ in "/garbage" }, { "/no-length/\($0)" },
    ]

    /// All pictures.
    static func plain(_ site: Site) -> String {
        lines(site, site.pictures.names.map { "/pictures/\(PercentEscapes.encodedPath($0))" })
    }

    /// The width and height of the listed icons in pixels.
    static let iconSide = 256

    /// The icons of all apps.
    static func icons(_ site: Site) -> String {
        let name = "\(iconSide)x\(iconSide)bb.\(site.artworkFormat)"
        return lines(site, site.apps.records.map { "/apps/icons/\($0.id)/\(name)" })
    }

    /// All pictures, mixed with failures.
    static func demo(_ site: Site) -> String {
        var paths: [String] = []
        for (index, name) in site.pictures.names.enumerated() {
            let encoded = PercentEscapes.encodedPath(name)
            paths.append("/pictures/\(encoded)")
            if index % 9 == 8 { paths.append(oddities[index / 9 % oddities.count](encoded)) }
        }
        return lines(site, paths)
    }

    private static func lines(_ site: Site, _ paths: [String]) -> String {
        paths.map { site.baseURL + $0 }.joined(separator: "\n")
    }
}
