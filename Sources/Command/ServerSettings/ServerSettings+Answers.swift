import CalotypeCommandLineKit
import CalotypeServer

// Responses and logging.
extension ServerSettings {
    static let answers: [ServerSetting] = [
        ServerSetting(
            "ttl",
            .seconds(0...3_153_600_000),
            \.answers.timeToLive,
            imgproxy: "TTL",
            help: "How long browsers and proxies may cache an image; 0 sends no-cache."
        ),
        ServerSetting(
            switch: "cache-control-passthrough",
            \.answers.passesCacheControl,
            imgproxy: "CACHE_CONTROL_PASSTHROUGH",
            help: "Use the cache lifetime that the source's origin sends, if it sends one."
        ),
        ServerSetting(
            switch: "no-etag",
            \.answers.hasEntityTags,
            to: false,
            imgproxy: "USE_ETAG",
            help: "Send no entity tags."
        ),
        ServerSetting(
            "etag-buster",
            .text("TEXT"),
            \.answers.entityTagBuster,
            imgproxy: "ETAG_BUSTER",
            help: "Text that changes all entity tags."
        ),
        ServerSetting(
            switch: "no-last-modified",
            \.answers.hasLastModified,
            to: false,
            imgproxy: "USE_LAST_MODIFIED",
            help: "Do not send when sources were last modified."
        ),
        ServerSetting(
            switch: "canonical-header",
            \.answers.isCanonicalTold,
            imgproxy: "SET_CANONICAL_HEADER",
            help: "Send the source's URL as the image's canonical URL."
        ),
        ServerSetting(
            "allow-origin",
            .text("ORIGIN"),
            optional: \.answers.allowedOrigin,
            imgproxy: "ALLOW_ORIGIN",
            help: "Origin whose scripts may read images (CORS), * for all."
        ),
        ServerSetting(
            switch: "debug-headers",
            \.answers.hasDebugHeaders,
            imgproxy: "ENABLE_DEBUG_HEADERS",
            help: "Send the sizes of source and result: X-Origin-Width and others."
        ),
        ServerSetting(
            switch: "detailed-errors",
            \.answers.areErrorsDetailed,
            imgproxy: "DEVELOPMENT_ERRORS_MODE",
            help: "Send clients the full reason for an error; for development only."
        ),
    ]

    static let operation: [ServerSetting] = [
        ServerSetting(
            "access-log",
            .text("FILE"),
            default: "-",
            help: "Write one line of JSON per request to this file; - is standard output, off writes nothing."
        ) { text, configuration in
            configuration.accessLog = text == "off" ? nil : text
        },
        ServerSetting(
            "metrics-bind",
            .address,
            optional: \.metricsAddress,
            default: "the same as --bind",
            imgproxy: "PROMETHEUS_BIND",
            help: "Address that serves /metrics and /health. Metrics are then served only there."
        ),
        ServerSetting(
            "metrics-namespace",
            .text("NAME"),
            \.metricsNamespace,
            imgproxy: "PROMETHEUS_NAMESPACE",
            help: "Prefix of metric names, before an underscore."
        ),
        ServerSetting(
            "trace",
            .text("FILE"),
            optional: \.traceFile,
            help: "Write the time of each part of the work to this file at exit, as Chrome trace events."
        ),
    ]
}

// The fallback image and the watermark.
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
            help: "How long the fallback image may be cached."
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
