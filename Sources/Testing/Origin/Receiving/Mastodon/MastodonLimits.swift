/// What a Mastodon server takes, as it is set up by default.
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
