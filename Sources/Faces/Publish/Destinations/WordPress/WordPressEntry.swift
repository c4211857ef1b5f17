internal import CalotypeCore
internal import CalotypeHTTP

/// A post in the form in which it is sent to the site.
struct WordPressEntry: Encodable {
    private(set) var status = "draft"
    /// When the post should be shown, in UTC.
    private(set) var dateGMT: String?
    let slug: String
    let content: String
    /// The ID of the featured image; 0 for none.
    let featuredMedia: Int

    private let finalStatus: String

    private enum CodingKeys: String, CodingKey {
        case status, slug, content
        case dateGMT = "date_gmt"
        case featuredMedia = "featured_media"
    }

    /// Creates the draft of a post.
    ///
    /// - Throws: `post_refused` for anything that WordPress does not support.
    init(_ draft: PostDraft, slug: String, site: WebURL) throws(PublishError) {
        finalStatus = try Self.status(draft, site)
        self.slug = slug
        content = WordPressContent.html(draft)
        let picture = draft.media.first { $0.medium.type.kind == .image }
        featuredMedia = picture.flatMap { Int($0.uploaded.id) } ?? 0
        dateGMT = draft.schedule?.internetText
    }

    /// A copy with its final status, which makes the post visible.
    var published: WordPressEntry {
        var entry = self
        entry.status = finalStatus
        return entry
    }

    private static func status(_ draft: PostDraft, _ site: WebURL) throws(PublishError) -> String {
        switch draft.visibility {
        case .direct:
            throw refusal(
                "WordPress cannot limit a post to the people it mentions; choose another visibility",
                site
            )
        case .followers where draft.schedule != nil:
            throw refusal(
                "WordPress publishes private posts immediately; remove the schedule or the visibility",
                site
            )
        case .followers: return "private"
        case .everyone, .unlisted, nil: return draft.schedule == nil ? "publish" : "future"
        }
    }

    private static func refusal(_ message: String, _ site: WebURL) -> PublishError {
        PublishError(CalotypeError(.postRefused, message, stage: .request, url: site.text), .none)
    }
}

/// A post's text and media as blocks of WordPress's editor.
enum WordPressContent {
    static func html(_ draft: PostDraft) -> String {
        (paragraphs(draft.text) + draft.media.map(block)).joined(separator: "\n\n")
    }

    /// Returns a paragraph for each section between empty lines.
    private static func paragraphs(_ text: String) -> [String] {
        // Swift treats a carriage return and a line feed as one character.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.split { $0.allSatisfy(\.isWhitespace) }.map { lines in
            let text = lines.map { escaped(String($0)) }.joined(separator: "<br>")
            return comment("paragraph", "", "<p>\(text)</p>")
        }
    }

    private static func block(_ item: PostDraft.Medium) -> String {
        let id = item.uploaded.id.filter(\.isNumber)
        let url = escaped(item.uploaded.url ?? "/?attachment_id=\(id)")
        let altText = escaped(item.medium.altText ?? "")
        switch item.medium.type.kind {
        case .image:
            return figure(
                "image",
                #"{"id":\#(id),"sizeSlug":"full","linkDestination":"none"}"#,
                " size-full",
                #"<img src="\#(url)" alt="\#(altText)" class="wp-image-\#(id)"/>"#
            )
        case .video:
            let label = altText.isEmpty ? "" : #" aria-label="\#(altText)""#
            return figure("video", #"{"id":\#(id)}"#, "", #"<video controls src="\#(url)"\#(label)></video>"#)
        case .audio:
            return figure("audio", #"{"id":\#(id)}"#, "", #"<audio controls src="\#(url)"></audio>"#)
        case .other:
            let link = #"<a href="\#(url)">\#(escaped(item.medium.name))</a>"#
            return comment("file", #" {"id":\#(id)}"#, #"<div class="wp-block-file">\#(link)</div>"#)
        }
    }

    private static func figure(_ name: String, _ about: String, _ style: String, _ inner: String) -> String {
        comment(name, " \(about)", #"<figure class="wp-block-\#(name)\#(style)">\#(inner)</figure>"#)
    }

    private static func comment(_ name: String, _ about: String, _ inner: String) -> String {
        "<!-- wp:\(name)\(about) -->\n\(inner)\n<!-- /wp:\(name) -->"
    }

    /// Returns `text` with all characters escaped that HTML or WordPress's shortcodes would interpret.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#039;"
            case "[": result += "&#091;"
            case "]": result += "&#093;"
            case "\n", "\r": result += " "
            // Control characters have no meaning in HTML, and databases do not accept all of them.
            case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{7F}"..."\u{9F}": continue
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
