import CalotypeCore
import CalotypeHTTPMessages

/// The documents of a Mastodon server, as far as publishing clients read them.
enum MastodonDocuments {
    static func medium(_ medium: MastodonState.Medium, _ call: Call) -> JSONText {
        let record = medium.record
        let url = "\(call.site.baseURL)\(call.selected.root)/media/\(record.id)/original"
        let isReady = medium.status == 200
        return .object([
            ("id", .text(record.id)), ("type", .text(record.type)), ("url", isReady ? .text(url) : .null),
            ("preview_url", isReady || !medium.kind.isOfTime ? .text(url) : .null), ("remote_url", .null),
            ("preview_remote_url", .null), ("text_url", .null), ("meta", meta(medium)),
            ("description", record.description.map { .text($0) } ?? .null), ("blurhash", .null),
        ])
    }

    private static func meta(_ medium: MastodonState.Medium) -> JSONText {
        var members: [(String, JSONText)] = []
        if let size = medium.kind.size {
            members.append(
                (
                    "original",
                    .object([
                        ("width", .whole(size.width)), ("height", .whole(size.height)),
                        ("size", .text("\(size.width)x\(size.height)")),
                        ("aspect", .number(Double(size.width) / Double(size.height))),
                    ])
                )
            )
        }
        let focus = medium.record.focus?.split(separator: ",").compactMap { Double($0) } ?? []
        if focus.count == 2 {
            members.append(("focus", .object([("x", .number(focus[0])), ("y", .number(focus[1]))])))
        }
        return .object(members)
    }

    static func status(
        _ status: Received.Mastodon.Status,
        _ media: [MastodonState.Medium],
        _ call: Call
    ) -> JSONText {
        let url = "\(call.site.baseURL)/@demo/\(status.id)"
        let attachments = JSONText.list(media.map { medium($0, call) })
        if let date = status.scheduledAt {
            return .object([
                ("id", .text(status.id)), ("scheduled_at", .text(date)),
                (
                    "params",
                    .object([("text", .text(status.text)), ("visibility", .text(status.visibility))])
                ),
                ("media_attachments", attachments),
            ])
        }
        let content = status.text.isEmpty ? "" : "<p>\(IndexPage.escaped(status.text))</p>"
        return .object([
            ("id", .text(status.id)),
            ("created_at", .text(WallTime(secondsSince1970: Int(status.at)).internetText)),
            ("in_reply_to_id", .null), ("sensitive", .truth(status.sensitive)),
            ("spoiler_text", .text(status.spoilerText)), ("visibility", .text(status.visibility)),
            ("language", status.language.map { .text($0) } ?? .null),
            ("uri", .text("\(call.site.baseURL)/users/demo/statuses/\(status.id)")), ("url", .text(url)),
            ("content", .text(content)), ("account", account(call)), ("media_attachments", attachments),
            ("reblog", .null), ("poll", .null), ("card", .null),
        ])
    }

    static func account(_ call: Call) -> JSONText {
        .object([
            ("id", .text("1")), ("username", .text("demo")), ("acct", .text("demo")),
            ("display_name", .text("Demo")), ("url", .text("\(call.site.baseURL)/@demo")),
        ])
    }

    static func instance(_ call: Call, version: Int) -> JSONText {
        let address = String(call.site.baseURL.dropFirst("http://".count))
        // A server that ignores idempotency keys is not Mastodon's own software, and says so.
        let name = call.suffers(.noKeys) ? "4.4.0 (compatible; simulated)" : "4.4.0+simulated"
        return .object([
            (version == 1 ? "uri" : "domain", .text(address)), ("title", .text("Calotype origin")),
            ("version", .text(name)), ("api_versions", .object([("mastodon", .whole(6))])),
            ("configuration", MastodonLimits.configuration),
        ])
    }
}
