import Calotype
import CalotypeCodec
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeHTTPListener
import CalotypeServer

// Listening to clients, and the limits of their requests.
extension ServerSettings {
    static let listening: [ServerSetting] = [
        ServerSetting(
            "bind",
            .address,
            default: "127.0.0.1:8080",
            imgproxy: "BIND",
            help: "Address to listen on. Without a host, all addresses; with port 0, a free port."
        ) { address, configuration in
            configuration.listener.host = address.host
            configuration.listener.port = address.port
        },
        ServerSetting(
            "max-clients",
            count,
            \.listener.connections,
            imgproxy: "MAX_CLIENTS",
            help: "Maximum number of client connections."
        ),
        ServerSetting(
            "max-clients-per-address",
            .integer(0...1_000_000),
            \.listener.connectionsPerAddress,
            help: "Maximum number of connections from one address; 0 for no limit."
        ),
        ServerSetting(
            "read-timeout",
            seconds,
            \.listener.headTimeout,
            imgproxy: "READ_REQUEST_TIMEOUT",
            help: "Maximum time to receive the head of a request."
        ),
        ServerSetting(
            "idle-timeout",
            seconds,
            \.listener.idleTimeout,
            imgproxy: "WRITE_RESPONSE_TIMEOUT",
            help: "Maximum time for which a client may stop reading its response."
        ),
        ServerSetting(
            "keep-alive-timeout",
            seconds,
            \.listener.keepAliveTimeout,
            imgproxy: "KEEP_ALIVE_TIMEOUT",
            help: "Maximum time between two requests on a connection."
        ),
        ServerSetting(
            "grace",
            seconds,
            \.grace,
            imgproxy: "GRACEFUL_STOP_TIMEOUT",
            help: "How long to wait for requests in progress after SIGTERM."
        ),
        ServerSetting(
            "secret",
            .text("TEXT"),
            optional: \.secret,
            imgproxy: "SECRET",
            help: "Requests for images must send this as 'Authorization: Bearer TEXT'."
        ).hidden,
        ServerSetting(
            "health-path",
            .text("PATH"),
            optional: \.healthPath,
            imgproxy: "HEALTH_CHECK_PATH",
            help: "Additional path that responds like /health."
        ),
    ]

    static let limits: [ServerSetting] = [
        ServerSetting(
            "workers",
            .integer(1...1_024),
            \.pipeline.codec.threads,
            default: "the number of cores",
            imgproxy: "WORKERS",
            help: "Maximum number of images to decode at a time."
        ),
        ServerSetting(
            "queue",
            .integer(0...1_000_000),
            \.queue.length,
            imgproxy: "REQUESTS_QUEUE_SIZE",
            help: """
                Maximum number of requests, besides those being decoded, that may be loading or waiting for \
                a worker. Further requests get status 429. 0 for as many as there are connections.
                """
        ),
        ServerSetting(
            "queue-per-source",
            .integer(0...1_000_000),
            \.queue.perSource,
            help: "Maximum number of requests in progress for sources on one host; 0 for no limit."
        ),
        ServerSetting(
            "timeout",
            .seconds(0.1...86_400),
            \.timeout,
            imgproxy: "TIMEOUT",
            help: "Maximum time from a request to its response."
        ),
        ServerSetting(
            "download-timeout",
            .seconds(0.1...86_400),
            \.pipeline.timeout,
            imgproxy: "DOWNLOAD_TIMEOUT",
            help: """
                Maximum time for one source: attempts, redirects and body, but not the time in \
                the queue.
                """
        ),
        ServerSetting(
            "decode-timeout",
            .seconds(0.1...86_400),
            \.limits.decodeTime,
            help: "Maximum time to decode one source and encode its result."
        ),
        ServerSetting(
            "max-src-resolution",
            .number(0.000_001...1_000_000, placeholder: "MEGAPIXELS"),
            default: "100; 2000 for images decoded row by row",
            imgproxy: "MAX_SRC_RESOLUTION",
            help: "Maximum resolution of a source, in megapixels."
        ) { megapixels, configuration in
            configuration.limits.pixels = Int((megapixels * 1_000_000).rounded())
            configuration.limits.streamedPixels = configuration.limits.pixels
        },
        ServerSetting(
            "max-src-file-size",
            .byteCount,
            default: "64MiB",
            imgproxy: "MAX_SRC_FILE_SIZE",
            help: "Maximum file size of a source; 0 for the default."
        ) { count, configuration in
            if count.bytes > 0 { configuration.limits.sourceBytes = count }
        },
        ServerSetting(
            "isolate",
            .cases as ValueType<DecoderIsolation>,
            \.pipeline.codec.isolation,
            help: """
                What to decode and encode in separate processes, so that an image that makes a library crash \
                or hang affects only itself: slow is what libvips handles, all is everything.
                """
        ),
        ServerSetting(
            "raw-disk",
            .byteCount,
            \.pipeline.growingBytes,
            help: """
                Maximum space in TMPDIR, or /tmp, for sources that are being sent unchanged. Requests that \
                need more get status 429.
                """
        ),
        ServerSetting(
            "decode-memory",
            .byteCount,
            \.pipeline.codec.memory,
            help: "Maximum memory for all decodes together, as estimated from image headers."
        ),
    ]
}
