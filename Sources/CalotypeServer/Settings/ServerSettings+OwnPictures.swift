import CommandLineKit

// Pictures of the server's own.
extension ServerSettings {
    static let own: [ServerSetting] = [
        ServerSetting(
            "fallback-image-data",
            .base64,
            default: "none",
            imgproxy: "FALLBACK_IMAGE_DATA",
            help: "Base64 of the picture in the place of one that cannot be had."
        ) {
            $1.fallback.place = .bytes($0)
        },
        ServerSetting(
            "fallback-image-path",
            .text("FILE"),
            default: "none",
            imgproxy: "FALLBACK_IMAGE_PATH",
            help: "A file with the picture in the place of one that cannot be had."
        ) {
            $1.fallback.place = .file(path: $0)
        },
        ServerSetting(
            "fallback-image-url",
            .text("URL"),
            default: "none",
            imgproxy: "FALLBACK_IMAGE_URL",
            help: "The URL of the picture in the place of one that cannot be had, whatever address it has."
        ) {
            $1.fallback.place = .url($0)
        },
        ServerSetting(
            "fallback-image-status",
            .integer(0...599),
            \.fallback.status,
            imgproxy: "FALLBACK_IMAGE_HTTP_CODE",
            help: "The status of answers with the fallback image; 0 for that of the error."
        ),
        ServerSetting(
            "fallback-image-ttl",
            .seconds(0...3_153_600_000),
            optional: \.fallback.timeToLive,
            default: "that of pictures",
            imgproxy: "FALLBACK_IMAGE_TTL",
            help: "How long the fallback image may be kept."
        ),
        ServerSetting(
            "watermark-data",
            .base64,
            default: "none",
            imgproxy: "WATERMARK_DATA",
            help: "Base64 of the picture that watermarks are."
        ) {
            $1.watermark.place = .bytes($0)
        },
        ServerSetting(
            "watermark-path",
            .text("FILE"),
            default: "none",
            imgproxy: "WATERMARK_PATH",
            help: "A file with the picture that watermarks are."
        ) {
            $1.watermark.place = .file(path: $0)
        },
        ServerSetting(
            "watermark-url",
            .text("URL"),
            default: "none",
            imgproxy: "WATERMARK_URL",
            help: "The URL of the picture that watermarks are, whatever address it has."
        ) {
            $1.watermark.place = .url($0)
        },
        ServerSetting(
            "watermark-opacity",
            .number(0...1),
            \.paths.watermarkOpacity,
            imgproxy: "WATERMARK_OPACITY",
            help: "What the opacity of each watermark is multiplied with."
        ),
    ]
}
