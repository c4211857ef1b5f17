import CalotypeHTTPMessages
import TaskFlow

/// A strict simulator of a Mastodon server's responses to a publishing client (docs.joinmastodon.org).
enum MastodonService {
    static let token = "demo"
    private static let window = 300

    /// Returns the response of `act` if the request has the token.
    static func authorized(
        _ act: @escaping @Sendable (Call) async throws -> Response
    ) -> @Sendable (Call) async throws -> ResponseScript {
        { call in
            guard call.request.headers["Authorization"] == "Bearer \(token)" else {
                throw OriginError.receiving(
                    401,
                    "The access token is invalid",
                    fields: [("WWW-Authenticate", "Bearer realm=\"Doorkeeper\", error=\"invalid_token\"")]
                )
            }
            try refuseVersion2(call)
            var response = try await act(call)
            if !response.fields.contains(where: { $0.name == "X-RateLimit-Limit" }) {
                response.fields += rateFields(limit: 300, left: 299, end: Timestamp.now() + Double(window))
            }
            return response.script()
        }
    }

    static let instance: @Sendable (Call) async throws -> ResponseScript = { call in
        try refuseVersion2(call)
        return Response.json(MastodonDocuments.instance(call, version: isVersion2(call) ? 2 : 1)).script()
    }

    static let account = authorized { .json(MastodonDocuments.account($0)) }

    static let accountStatuses = authorized { call in
        guard call.values["ID"] == "1" else { throw missing }
        let limit = min(max(call.request.query("limit").flatMap { Int($0) } ?? 20, 1), 40)
        let newest = call.request.query("max_id").flatMap { Int($0) } ?? .max
        let oldest = call.request.query("since_id").flatMap { Int($0) } ?? 0
        let found = call.site.reception.mastodon.withLock { state in
            state.statuses.reversed()
                .filter { !$0.deleted && $0.scheduledAt == nil }
                .filter { (Int($0.id) ?? 0) < newest && (Int($0.id) ?? 0) > oldest }
                .prefix(limit)
                .map { ($0, $0.mediaIDs.compactMap(state.medium)) }
        }
        return .json(.list(found.map { MastodonDocuments.status($0, $1, call) }))
    }

    static var missing: OriginError { .receiving(404, "Record not found") }

    static func rateFields(limit: Int, left: Int, end: Double) -> [(name: String, value: String)] {
        [
            ("X-RateLimit-Limit", "\(limit)"), ("X-RateLimit-Remaining", "\(left)"),
            ("X-RateLimit-Reset", text(end)),
        ]
    }

    /// Formats a time with microseconds, as Mastodon does.
    private static func text(_ seconds: Double) -> String {
        let microseconds = Int(max(0, seconds) * 1_000_000)
        let fraction = String(microseconds % 1_000_000 + 1_000_000).dropFirst()
        return "\(WallTime(secondsSince1970: microseconds / 1_000_000).internetText.dropLast()).\(fraction)Z"
    }

    static func isVersion2(_ call: Call) -> Bool {
        call.innerPath.hasPrefix("/api/v2/")
    }

    private static func refuseVersion2(_ call: Call) throws {
        if isVersion2(call), call.suffers(.noVersion2) { throw OriginError.receiving(404, "Not Found") }
    }
}

/// The limits of a Mastodon server in its default configuration.
enum MastodonLimits {
    static let attachments = 4
    static let characters = 500
    static let charactersPerLink = 23
    static let imageBytes = 16 << 20
    static let videoBytes = 99 << 20
    static let imagePixels = 33_177_600
    static let videoPixels = 8_294_400
    static let descriptionCharacters = 1500
    static let keyLifetime = 3600.0
    static let shortestDelay = 300.0

    static let mediaTypes = [
        "image/jpeg", "image/png", "image/gif", "image/heic", "image/heif", "image/webp", "image/avif",
        "video/webm", "video/mp4", "video/quicktime", "video/ogg", "audio/wave", "audio/wav", "audio/x-wav",
        "audio/ogg", "audio/vorbis", "audio/mpeg", "audio/mp3", "audio/webm", "audio/flac", "audio/aac",
        "audio/m4a", "audio/x-m4a", "audio/mp4", "audio/3gpp", "video/x-ms-asf",
    ]

    /// The member `configuration` of the instance's document.
    static var configuration: JSONText {
        .object([
            (
                "statuses",
                .object([
                    ("max_characters", .whole(characters)), ("max_media_attachments", .whole(attachments)),
                    ("characters_reserved_per_url", .whole(charactersPerLink)),
                ])
            ),
            (
                "media_attachments",
                .object([
                    ("supported_mime_types", .list(mediaTypes.map { .text($0) })),
                    ("description_limit", .whole(descriptionCharacters)),
                    ("image_size_limit", .whole(imageBytes)), ("image_matrix_limit", .whole(imagePixels)),
                    ("video_size_limit", .whole(videoBytes)), ("video_frame_rate_limit", .whole(120)),
                    ("video_matrix_limit", .whole(videoPixels)),
                ])
            ),
        ])
    }
}
