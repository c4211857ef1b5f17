import CalotypeCommandLineKit

// Pictures of the server's own.
extension ServerSettings {
    static let own: [ServerSetting] = [
        ServerSetting(
            "fallback-image-data",
            .base64,
            default: "none",
            imgproxy: "FALLBACK_IMAGE_DATA",
            help: "Image to serve if a source is unavailable, in Base64."
        ) {
            $1.fallback.place = .bytes($0)
        },
        ServerSetting(
            "fallback-image-path",
            .text("FILE"),
            default: "none",
            imgproxy: "FALLBACK_IMAGE_PATH",
            help: "File with the image to serve if a source is unavailable."
        ) {
            $1.fallback.place = .file(path: $0)
        },
        ServerSetting(
            "fallback-image-url",
            .text("URL"),
            default: "none",
            imgproxy: "FALLBACK_IMAGE_URL",
            help: "URL of the image to serve if a source is unavailable. It may be at any address."
        ) {
            $1.fallback.place = .url($0)
        },
        ServerSetting(
            "fallback-image-status",
            .integer(0...599),
            \.fallback.status,
            imgproxy: "FALLBACK_IMAGE_HTTP_CODE",
            help: "Status of responses with the fallback image; 0 for the status of the error."
        ),
        ServerSetting(
            "fallback-image-ttl",
            .seconds(0...3_153_600_000),
            optional: \.fallback.timeToLive,
            default: "the same as --ttl",
            imgproxy: "FALLBACK_IMAGE_TTL",
            help: "How long the fallback image may be cached, in seconds."
        ),
        ServerSetting(
            "watermark-data",
            .base64,
            default: "none",
            imgproxy: "WATERMARK_DATA",
            help: "Watermark image in Base64."
        ) {
            $1.watermark.place = .bytes($0)
        },
        ServerSetting(
            "watermark-path",
            .text("FILE"),
            default: "none",
            imgproxy: "WATERMARK_PATH",
            help: "File with the watermark image."
        ) {
            $1.watermark.place = .file(path: $0)
        },
        ServerSetting(
            "watermark-url",
            .text("URL"),
            default: "none",
            imgproxy: "WATERMARK_URL",
            help: "URL of the watermark image. It may be at any address."
        ) {
            $1.watermark.place = .url($0)
        },
        ServerSetting(
            "watermark-opacity",
            .number(0...1),
            \.paths.watermarkOpacity,
            imgproxy: "WATERMARK_OPACITY",
            help: "Factor that the opacity of each watermark is multiplied by."
        ),
    ]
}
