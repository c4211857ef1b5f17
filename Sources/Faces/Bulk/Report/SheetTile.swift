internal import CalotypeCore
import CalotypeFiles

/// A tile of the contact sheet: a picture, or the reason why there is none.
enum SheetTile {
    /// Returns the tile's HTML, with the data of `picture` inside if there is one.
    static func html(_ outcome: FetchOutcome, picture: SheetPicture?, elapsed: Duration) -> [UInt8] {
        let open =
            "<figure class=\"\(outcome.status.rawValue)\" id=\"i\(outcome.index)\" style=\"order:\(outcome.index)\">"
        var html = Array((open + "<div class=\"frame\">").utf8)
        if let picture {
            let (size, type) = (picture.rendition.size, picture.rendition.format.mediaType)
            let dimensions = "width=\"\(size.width)\" height=\"\(size.height)\""
            html +=
                "<img \(dimensions) alt=\"\" loading=\"lazy\" decoding=\"async\" src=\"data:\(type);base64,"
                .utf8
            html += Base64.encode(picture.bytes)
            html += "\">".utf8
        } else {
            html += reason(outcome).utf8
        }
        html += "</div>\(caption(outcome, elapsed: elapsed))</figure>\n".utf8
        return html
    }

    private static func reason(_ outcome: FetchOutcome) -> String {
        switch outcome.status {
        case .failed:
            let message = HTMLText.escaped(HTMLText.shortened(outcome.message ?? ""))
            return "<strong>\(HTMLText.escaped(outcome.code?.rawValue ?? "failed"))</strong><p>\(message)</p>"
        case .cancelled: return "<strong>cancelled</strong>"
        case .ok, .skipped: return "<p>not shown on this page</p>"
        }
    }

    private static func caption(_ outcome: FetchOutcome, elapsed: Duration) -> String {
        var facts: [String] = []
        facts += sizes(outcome)
        if let bytes = outcome.bytes { facts.append("\(bytes)") }
        facts.append(
            outcome.status == .skipped ? "already complete" : time(outcome.timings?.total ?? elapsed)
        )
        if outcome.isPartial { facts.append("partial") }
        if outcome.attempts > 1 { facts.append("\(outcome.attempts) attempts") }
        let name =
            outcome.file
            ?? (outcome.renditions.isEmpty ? "№ \(outcome.index)" : FileName.stem(index: outcome.index))
        return "<figcaption><b>\(HTMLText.escaped(name))</b>\(source(outcome.url))"
            + "<span>\(facts.joined(separator: "</span><span>"))</span></figcaption>"
    }

    /// Returns the different sizes, and the number of files.
    private static func sizes(_ outcome: FetchOutcome) -> [String] {
        var sizes: [PixelSize] = []
        for rendition in outcome.renditions where !sizes.contains(rendition.size) {
            sizes.append(rendition.size)
        }
        let shown = sizes.prefix(4).map { "\($0.width)×\($0.height)" }
        let files = outcome.renditions.count
        return shown + (files > shown.count ? ["\(files) files"] : [])
    }

    /// Returns the URL shortened from the front, because the beginnings are mostly the same.
    private static func source(_ url: String) -> String {
        let text = HTMLText.escaped(HTMLText.shortened(url, to: 2000))
        let shown = HTMLText.escaped(url.count > 36 ? "…" + url.suffix(34) : url)
        guard let link = HTMLText.link(url) else { return "<q title=\"\(text)\">\(shown)</q>" }
        return "<a href=\"\(link)\" title=\"\(text)\" rel=\"noreferrer\">\(shown)</a>"
    }

    private static func time(_ duration: Duration) -> String {
        let milliseconds = duration.inMilliseconds
        return milliseconds < 1000
            ? "\(Decimal.text(milliseconds, places: 0)) ms"
            : "\(Decimal.text(milliseconds / 1000, places: 1)) s"
    }
}

/// The picture of a tile in the contact sheet.
struct SheetPicture {
    let rendition: FetchedRendition
    let bytes: [UInt8]

    /// Minimum length of the longer side for a sharp tile.
    private static let goodSide = 240
    /// The formats that browsers can show.
    private static let shown: [ImageFormat] = [.jpeg, .png, .webp, .avif, .gif]

    /// Returns the index of the rendition to show: the smallest that is sharp, else the largest; `nil` if
    /// there is none.
    ///
    /// Only formats that browsers can show are considered.
    static func choice(of renditions: [FetchedRendition]) -> Int? {
        let shown = renditions.indices.filter { Self.shown.contains(renditions[$0].format) }
        let good = shown.filter { max(renditions[$0].size.width, renditions[$0].size.height) >= goodSide }
        let cost = { (index: Int) in (renditions[index].size.pixelCount, renditions[index].bytes.bytes) }
        return good.min { cost($0) < cost($1) }
            ?? shown.max { (cost($0).0, -cost($0).1) < (cost($1).0, -cost($1).1) }
    }
}

/// Escapes text for HTML; all text from outsiders must pass through here.
enum HTMLText {
    /// Returns `text` with everything escaped that could end a text or an attribute.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // Control characters, and marks that change the text direction and could disguise a URL.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{200E}", "\u{200F}", "\u{202A}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns `text` as the value of `href` if it is a web address; other schemes could be scripts.
    static func link(_ text: String) -> String? {
        let scheme = text.prefix(8).lowercased()
        return scheme.hasPrefix("http://") || scheme.hasPrefix("https://") ? escaped(text) : nil
    }

    /// Returns the beginning of `text`, because long messages would make the page too long.
    static func shortened(_ text: String, to limit: Int = 300) -> String {
        text.count > limit ? String(text.prefix(limit)) + "…" : text
    }
}
