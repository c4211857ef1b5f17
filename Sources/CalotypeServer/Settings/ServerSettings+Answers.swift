import CommandLineKit

// What is said beside pictures, and written down of it.
extension ServerSettings {
    static let answers: [ServerSetting] = [
        ServerSetting(
            "ttl",
            .seconds(0...3_153_600_000),
            \.answers.timeToLive,
            imgproxy: "TTL",
            help: "How long browsers and proxies may keep a picture; 0 is told as no-cache."
        ),
        ServerSetting(
            switch: "cache-control-passthrough",
            \.answers.passesCacheControl,
            imgproxy: "CACHE_CONTROL_PASSTHROUGH",
            help: "Tell what the origin of the source says of its lifetime, where it does."
        ),
        ServerSetting(
            switch: "no-etag",
            \.answers.hasEntityTags,
            to: false,
            imgproxy: "USE_ETAG",
            help: "Tell no entity tags."
        ),
        ServerSetting(
            "etag-buster",
            .text("TEXT"),
            \.answers.entityTagBuster,
            imgproxy: "ETAG_BUSTER",
            help: "A text that changes all entity tags."
        ),
        ServerSetting(
            switch: "no-last-modified",
            \.answers.hasLastModified,
            to: false,
            imgproxy: "USE_LAST_MODIFIED",
            help: "Do not tell when sources last changed."
        ),
        ServerSetting(
            switch: "canonical-header",
            \.answers.isCanonicalTold,
            imgproxy: "SET_CANONICAL_HEADER",
            help: "Name the source's URL as the canonical one of the picture."
        ),
        ServerSetting(
            "allow-origin",
            .text("ORIGIN"),
            optional: \.answers.allowedOrigin,
            imgproxy: "ALLOW_ORIGIN",
            help: "The site whose scripts may read pictures (CORS), * for all."
        ),
        ServerSetting(
            switch: "debug-headers",
            \.answers.hasDebugHeaders,
            imgproxy: "ENABLE_DEBUG_HEADERS",
            help: "Tell the sizes of source and result: X-Origin-Width and others."
        ),
        ServerSetting(
            switch: "detailed-errors",
            \.answers.areErrorsDetailed,
            imgproxy: "DEVELOPMENT_ERRORS_MODE",
            help: "Tell clients in full what went wrong; for development only."
        ),
    ]

    static let operation: [ServerSetting] = [
        ServerSetting(
            "access-log",
            .text("FILE"),
            default: "-",
            help: "Where a line of JSON is written for each request; - is standard output, off is nowhere."
        ) { text, configuration in
            configuration.accessLog = text == "off" ? nil : text
        },
        ServerSetting(
            "metrics-bind",
            .address,
            optional: \.metricsAddress,
            default: "that of pictures",
            imgproxy: "PROMETHEUS_BIND",
            help: "The address at which /metrics and /health are answered, and metrics at no other."
        ),
        ServerSetting(
            "metrics-namespace",
            .text("NAME"),
            \.metricsNamespace,
            imgproxy: "PROMETHEUS_NAMESPACE",
            help: "What the names of metrics begin with, and an underscore."
        ),
        ServerSetting(
            "trace",
            .text("FILE"),
            optional: \.traceFile,
            help: "Write the times of all parts of the work to this file at the end, as Chrome trace events."
        ),
    ]
}
