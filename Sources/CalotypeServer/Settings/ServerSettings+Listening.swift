import Calotype
import CalotypeCodec
import CalotypeCore
import CommandLineKit
import HTTPListener

// How clients are listened to, and what their requests may cost.
extension ServerSettings {
    static let listening: [ServerSetting] = [
        ServerSetting(
            "bind",
            .address,
            default: "127.0.0.1:8080",
            imgproxy: "BIND",
            help: "The address to listen on; without a host all addresses, with port 0 a free one."
        ) { address, configuration in
            configuration.listener.host = address.host
            configuration.listener.port = address.port
        },
        ServerSetting(
            "max-clients",
            count,
            \.listener.connections,
            imgproxy: "MAX_CLIENTS",
            help: "The most connections of clients at a time."
        ),
        ServerSetting(
            "max-clients-per-address",
            .integer(0...1_000_000),
            \.listener.connectionsPerAddress,
            help: "The most connections from one address at a time; 0 for as many as there are."
        ),
        ServerSetting(
            "read-timeout",
            seconds,
            \.listener.headTimeout,
            imgproxy: "READ_REQUEST_TIMEOUT",
            help: "The most time for the head of a request."
        ),
        ServerSetting(
            "idle-timeout",
            seconds,
            \.listener.idleTimeout,
            imgproxy: "WRITE_RESPONSE_TIMEOUT",
            help: "The longest time in which a client takes nothing of its answer."
        ),
        ServerSetting(
            "keep-alive-timeout",
            seconds,
            \.listener.keepAliveTimeout,
            imgproxy: "KEEP_ALIVE_TIMEOUT",
            help: "The longest wait for the next request on a connection."
        ),
        ServerSetting(
            "grace",
            seconds,
            \.grace,
            imgproxy: "GRACEFUL_STOP_TIMEOUT",
            help: "How long answers under way are waited for after SIGTERM."
        ),
        ServerSetting(
            "secret",
            .text("TEXT"),
            optional: \.secret,
            imgproxy: "SECRET",
            help: "Requests for pictures have to carry it as 'Authorization: Bearer TEXT'."
        ).hidden,
        ServerSetting(
            "health-path",
            .text("PATH"),
            optional: \.healthPath,
            imgproxy: "HEALTH_CHECK_PATH",
            help: "A path that answers as /health does."
        ),
    ]

    static let limits: [ServerSetting] = [
        ServerSetting(
            "workers",
            .integer(1...1_024),
            \.pipeline.codec.threads,
            default: "the number of cores",
            imgproxy: "WORKERS",
            help: "How many pictures are decoded at a time."
        ),
        ServerSetting(
            "queue",
            .integer(0...1_000_000),
            \.queue.length,
            imgproxy: "REQUESTS_QUEUE_SIZE",
            help: """
                How many more requests may be in the works, loading or waiting for a worker; the next one is answered with 429. \
                0 for as many as there are connections.
                """
        ),
        ServerSetting(
            "queue-per-source",
            .integer(0...1_000_000),
            \.queue.perSource,
            help: "How many of the requests in the works may be for sources of one host; 0 for all."
        ),
        ServerSetting(
            "timeout",
            .seconds(0.1...86_400),
            \.timeout,
            imgproxy: "TIMEOUT",
            help: "The most time from a request to its answer."
        ),
        ServerSetting(
            "download-timeout",
            .seconds(0.1...86_400),
            \.pipeline.timeout,
            imgproxy: "DOWNLOAD_TIMEOUT",
            help: "The most time for one source: attempts, redirects and body, not the wait for its turn."
        ),
        ServerSetting(
            "decode-timeout",
            .seconds(0.1...86_400),
            \.limits.decodeTime,
            help: "The most time for decoding one source and encoding its result."
        ),
        ServerSetting(
            "max-src-resolution",
            .number(0.000_001...1_000_000, placeholder: "MEGAPIXELS"),
            default: "100; 2000 for what is decoded row by row",
            imgproxy: "MAX_SRC_RESOLUTION",
            help: "The most pixels of a source."
        ) { megapixels, configuration in
            configuration.limits.pixels = Int((megapixels * 1_000_000).rounded())
            configuration.limits.streamedPixels = configuration.limits.pixels
        },
        ServerSetting(
            "max-src-file-size",
            .byteCount,
            default: "64MiB",
            imgproxy: "MAX_SRC_FILE_SIZE",
            help: "The most bytes of a source; 0 for the default."
        ) { count, configuration in
            if count.bytes > 0 { configuration.limits.sourceBytes = count }
        },
        ServerSetting(
            "isolate",
            .cases as ValueType<DecoderIsolation>,
            \.pipeline.codec.isolation,
            help: """
                What is decoded and encoded in processes of its own, so that a picture on which a library crashes or hangs \
                costs nothing but itself: slow is what libvips does, all is everything.
                """
        ),
        ServerSetting(
            "raw-disk",
            .byteCount,
            \.pipeline.growingBytes,
            help: """
                The most bytes that sources which are being sent as they are take in TMPDIR, or /tmp; what comes on top is \
                answered with 429.
                """
        ),
        ServerSetting(
            "decode-memory",
            .byteCount,
            \.pipeline.codec.memory,
            help: "The memory that decodes may take at a time, as far as headers tell."
        ),
    ]
}
