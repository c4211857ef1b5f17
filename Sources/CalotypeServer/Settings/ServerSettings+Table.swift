import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import CommandLineKit
import HTTPListener

// The table: option, kind of value, where it is kept, imgproxy's names, help. Settings are applied in this order.
extension ServerSettings {
    private static let seconds = ValueType<Duration>.seconds(0...31_536_000)
    private static let count = ValueType<Int>.integer(1...1_000_000)

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
            "decode-memory",
            .byteCount,
            \.pipeline.codec.memory,
            help: "The memory that decodes may take at a time, as far as headers tell."
        ),
    ]

    static let sources: [ServerSetting] = [
        ServerSetting(
            "connections",
            .integer(1...65_536),
            \.pipeline.connections,
            help: "The most connections to origins at a time."
        ),
        ServerSetting(
            "connections-per-host",
            .integer(1...65_536),
            \.pipeline.connectionsPerHost,
            help: "The most connections to one origin at a time."
        ),
        ServerSetting(
            "retries",
            .integer(0...20),
            \.pipeline.retries,
            help: "Further attempts after a failure that may pass."
        ),
        ServerSetting(
            "user-agent",
            .text("TEXT"),
            \.pipeline.transport.userAgent,
            default: "Calotype and libcurl with their versions",
            imgproxy: "USER_AGENT",
            help: "What requests to origins call themselves."
        ),
        ServerSetting(
            "proxy",
            .proxyURL,
            optional: \.pipeline.transport.proxy,
            help: "Send requests to origins through this HTTP proxy, which resolves their names then."
        ),
        ServerSetting(
            "cacert",
            .text("FILE"),
            optional: \.pipeline.transport.certificateFile,
            default: "the system's",
            help: "Trust the certificate authorities in this PEM file."
        ),
        ServerSetting(
            "allowed-sources",
            .words("LIST"),
            default: "all",
            imgproxy: "ALLOWED_SOURCES",
            help: """
                The sources that may be asked, with commas between them, such as https://*.example.com/photos/. An asterisk \
                stands for a part of a label or of a segment.
                """
        ) { patterns, configuration throws(ValueProblem) in
            configuration.paths.allowedSources = try sense { () throws(PathConfigurationError) in
                try AllowedSources(patterns)
            }
        },
        ServerSetting(
            "base-url",
            .text("URL"),
            \.paths.rewriting.baseURL,
            imgproxy: "BASE_URL",
            help: "What is put before sources that do not begin with it."
        ),
        ServerSetting(
            "url-replacements",
            .text("LIST"),
            default: "none",
            imgproxy: "URL_REPLACEMENTS",
            help:
                "Beginnings of sources that become others: PATTERN=REPLACEMENT, with semicolons between them."
        ) { text, configuration throws(ValueProblem) in
            configuration.paths.rewriting.replacements = try sense { () throws(PathConfigurationError) in
                try URLReplacement.list(text)
            }
        },
        ServerSetting(
            "local-root",
            .text("DIR"),
            optional: \.localRoot,
            default: "none",
            imgproxy: "LOCAL_FILESYSTEM_ROOT",
            help: "The folder below which local:///PATH is; nothing outside of it is read."
        ),
        ServerSetting(
            switch: "allow-private",
            \.allowsPrivateAddresses,
            help: "Load from any address, also of this machine and its network."
        ),
    ]

    static let caches: [ServerSetting] = [
        ServerSetting(
            "cache",
            .text("DIR"),
            optional: \.cacheFolder,
            default: "none",
            help: "Keep results in this folder."
        ),
        ServerSetting(
            "cache-size",
            .byteCount,
            \.cacheSize,
            help: "The most bytes that the folder keeps; what is asked for least goes first."
        ),
        ServerSetting(
            switch: "cache-sources",
            \.keepsSources,
            help: "Keep sources in the folder too, so that another size needs no download."
        ),
        ServerSetting(switch: "no-cache", help: "Keep no results, neither in a folder nor in memory.") {
            guard $0 else { return }
            $1.cacheFolder = nil
            $1.pipeline.memoryCache = .none
        },
        ServerSetting(
            "memory-cache",
            .byteCount,
            \.pipeline.memoryCache.bytes,
            help: "The most bytes of results that are kept in memory; 0 for none."
        ),
    ]

    static let paths: [ServerSetting] = [
        ServerSetting(
            "key",
            .hexadecimals,
            \.signing.keys,
            default: "none",
            imgproxy: "KEY",
            help:
                "The key that paths are signed with, in hexadecimal; several, for a change of keys, with commas between."
        ).hidden,
        ServerSetting(
            "salt",
            .hexadecimals,
            \.signing.salts,
            default: "none",
            imgproxy: "SALT",
            help: "The salt of the key, in hexadecimal; one for each key."
        ).hidden,
        ServerSetting(
            "signature-size",
            .integer(1...32),
            \.signing.size,
            imgproxy: "SIGNATURE_SIZE",
            help: "How many bytes of a signature are used."
        ),
        ServerSetting(
            "trusted-signatures",
            .words("LIST"),
            \.signing.trusted,
            default: "none",
            imgproxy: "TRUSTED_SIGNATURES",
            help: "Texts that pass in the place of any signature, with commas between them."
        ).hidden,
        ServerSetting(
            "path-prefix",
            .text("PATH"),
            default: "none",
            imgproxy: "PATH_PREFIX",
            help: "What all paths begin with."
        ) { text, configuration in
            let path = text.split(separator: "/").joined(separator: "/")
            configuration.paths.prefix = path.isEmpty ? "" : "/" + path
        },
        ServerSetting(
            "arguments-separator",
            .text("TEXT"),
            \.paths.argumentsSeparator,
            imgproxy: "ARGUMENTS_SEPARATOR",
            help: "What stands between an option's name and its arguments."
        ),
        ServerSetting(
            "presets",
            .text("LIST"),
            default: "none",
            imgproxy: "PRESETS",
            help: "Options under names, such as thumb=rs:fill:256:256/q:70, with commas between them."
        ) { text, configuration throws(ValueProblem) in
            try sense { () throws(PathConfigurationError) in
                try configuration.paths.presets.add(
                    text,
                    argumentsSeparator: configuration.paths.argumentsSeparator
                )
            }
        },
        ServerSetting(
            "presets-path",
            .text("FILE"),
            default: "none",
            imgproxy: "PRESETS_PATH",
            help: "A file of presets, one a line."
        ) { path, configuration throws(ValueProblem) in
            let text = try SettingText.contents(of: path)
            try sense { () throws(PathConfigurationError) in
                try configuration.paths.presets.add(
                    linesOf: text,
                    argumentsSeparator: configuration.paths.argumentsSeparator
                )
            }
        },
        ServerSetting(
            switch: "only-presets",
            \.paths.onlyPresets,
            imgproxy: "ONLY_PRESETS",
            help: "Paths have names of presets in the place of options."
        ),
        ServerSetting(
            "allowed-options",
            .words("LIST"),
            default: "all",
            imgproxy: "ALLOWED_PROCESSING_OPTIONS",
            help: "The options that paths may have, with commas between them; presets may have others."
        ) { words, configuration throws(ValueProblem) in
            var names: Set<OptionName> = []
            for word in words {
                guard let name = OptionName(name: word) else {
                    throw ValueProblem("names '\(word)', which is no option of paths")
                }
                names.insert(name)
            }
            configuration.paths.allowedOptions = names
        },
        ServerSetting(
            switch: "allow-security-options",
            \.paths.allowsSecurityOptions,
            imgproxy: "ALLOW_SECURITY_OPTIONS",
            help: "Let paths change the limits of sources and results."
        ),
        ServerSetting(
            switch: "base64-url-includes-filename",
            \.paths.base64IncludesFileName,
            imgproxy: "BASE64_URL_INCLUDES_FILENAME",
            help: "The last segment of a source in Base64 is a file name that means nothing."
        ),
    ]

    static let pictures: [ServerSetting] = [
        ServerSetting(
            "quality",
            .integer(1...100),
            \.paths.defaults.quality,
            imgproxy: "QUALITY",
            help: "The quality of formats without one of their own."
        ),
        ServerSetting(
            "format-quality",
            .qualities,
            default: "webp=79,avif=63",
            imgproxy: "FORMAT_QUALITY",
            help: "The qualities of single formats."
        ) { qualities, configuration in
            configuration.paths.defaults.formatQualities.merge(qualities) { $1 }
        },
        negotiating("auto-webp", .webp, \.offered, "AUTO_WEBP", "ENABLE_WEBP_DETECTION"),
        negotiating("auto-avif", .avif, \.offered, "AUTO_AVIF", "ENABLE_AVIF_DETECTION"),
        negotiating("enforce-webp", .webp, \.enforced, "ENFORCE_WEBP"),
        negotiating("enforce-avif", .avif, \.enforced, "ENFORCE_AVIF"),
        ServerSetting(
            "preferred-formats",
            .formats,
            \.negotiation.preferred,
            default: "jpeg,png",
            imgproxy: "PREFERRED_FORMATS",
            help:
                "The formats that a source keeps where nothing else is said; others become the first that can show them."
        ),
        ServerSetting(
            "skip-processing-formats",
            .formatSet,
            \.paths.defaults.untouched,
            default: "none",
            imgproxy: "SKIP_PROCESSING_FORMATS",
            help: "The formats of sources that are passed on as they are."
        ),
        ServerSetting(
            switch: "client-hints",
            \.heedsClientHints,
            imgproxy: "ENABLE_CLIENT_HINTS",
            help: "Heed what browsers tell of their screen (DPR and Width)."
        ),
        ServerSetting(
            switch: "keep-metadata",
            \.paths.defaults.stripsMetadata,
            to: false,
            imgproxy: "STRIP_METADATA",
            help: "Keep EXIF, XMP and IPTC unless a path says otherwise."
        ),
        ServerSetting(
            switch: "strip-copyright",
            \.paths.defaults.keepsCopyright,
            to: false,
            imgproxy: "KEEP_COPYRIGHT",
            help: "Leave out copyright and artist too."
        ),
        ServerSetting(
            switch: "keep-color-profile",
            \.paths.defaults.stripsColourProfile,
            to: false,
            imgproxy: "STRIP_COLOR_PROFILE",
            help: "Keep colour profiles in the place of making colours sRGB."
        ),
        ServerSetting(
            switch: "no-auto-rotate",
            \.paths.defaults.rotatesAutomatically,
            to: false,
            imgproxy: "AUTO_ROTATE",
            help: "Do not turn pictures upright by their EXIF orientation."
        ),
        ServerSetting(
            switch: "return-attachment",
            \.paths.defaults.returnsAttachments,
            imgproxy: "RETURN_ATTACHMENT",
            help: "Have browsers save pictures in the place of showing them."
        ),
        ServerSetting(
            "max-result-dimension",
            .integer(0...65_535),
            \.paths.defaults.mostSide,
            imgproxy: "MAX_RESULT_DIMENSION",
            help: "The most pixels of each side of a result; 0 for as many as there are."
        ),
    ]

    /// A switch for the formats that follow from what a browser accepts.
    private static func negotiating(
        _ name: String,
        _ format: ImageFormat,
        _ list: any WritableKeyPath<FormatNegotiation, [ImageFormat]> & Sendable,
        _ variables: String...
    ) -> ServerSetting {
        let when = name.hasPrefix("auto") ? "and the path names no format" : "whatever format the path names"
        return ServerSetting(
            switch: name,
            imgproxy: variables,
            help: "Answer with \(format.rawValue) where the browser says that it takes it, \(when)."
        ) { isOn, configuration in
            var formats = configuration.negotiation[keyPath: list].filter { $0 != format }
            if isOn { formats.append(format) }
            // The better one first, in whatever order they were named.
            configuration.negotiation[keyPath: list] = [.avif, .webp].filter(formats.contains)
        }
    }

    /// What `body` returns; what makes no sense to it is a problem with the value.
    private static func sense<Output>(
        _ body: () throws(PathConfigurationError) -> Output
    ) throws(ValueProblem) -> Output {
        do throws(PathConfigurationError) { return try body() } catch {
            throw ValueProblem("makes no sense: \(error.message)")
        }
    }

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
