import Calotype
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeHTTP
import CalotypeServer
import CalotypeStore

// Sources, and caches for results.
extension ServerSettings {
    static let sources: [ServerSetting] = [
        ServerSetting(
            "connections",
            .integer(1...65_536),
            \.pipeline.connections,
            help: "Maximum number of connections to origins."
        ),
        ServerSetting(
            "connections-per-host",
            .integer(1...65_536),
            \.pipeline.connectionsPerHost,
            help: "Maximum number of connections to one origin."
        ),
        ServerSetting(
            "retries",
            .integer(0...20),
            \.pipeline.retries,
            help: "Number of further attempts after a temporary failure."
        ),
        ServerSetting(
            "max-redirects",
            .integer(0...100),
            \.pipeline.redirects,
            imgproxy: "MAX_REDIRECTS",
            help: "Maximum number of redirects to follow for one source."
        ),
        ServerSetting(
            "user-agent",
            .text("TEXT"),
            \.pipeline.transport.userAgent,
            default: "Calotype and libcurl with their versions",
            imgproxy: "USER_AGENT",
            help: "User-Agent header to send to origins."
        ),
        ServerSetting(
            switch: "trace-context",
            \.pipeline.sendsTraceContext,
            help: """
                Pass the trace context of a request (traceparent and tracestate) on to the origin of its source.
                """
        ),
        ServerSetting(
            "proxy",
            .proxyURL,
            default: "$http_proxy and $https_proxy",
            help: """
                Send all requests to origins through this HTTP proxy. The proxy then resolves host names, \
                so that only addresses in URLs can be checked here.
                """
        ) { proxy, configuration in configuration.pipeline.transport.proxies = .all(proxy) },
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
                Comma-separated sources that may be loaded, such as https://*.example.com/photos/. An \
                asterisk matches part of a label or of a path segment.
                """
        ) { patterns, configuration throws(UsageError) in
            configuration.paths.allowedSources = try sense { () throws(ServerError) in
                try AllowedSources(patterns)
            }
        },
        ServerSetting(
            "base-url",
            .text("URL"),
            \.paths.rewriting.baseURL,
            imgproxy: "BASE_URL",
            help: "Prefix to add to sources that do not start with it."
        ),
        ServerSetting(
            "url-replacements",
            .text("LIST"),
            default: "none",
            imgproxy: "URL_REPLACEMENTS",
            help:
                "Prefixes of sources to replace: PATTERN=REPLACEMENT, separated by semicolons."
        ) { text, configuration throws(UsageError) in
            configuration.paths.rewriting.replacements = try sense { () throws(ServerError) in
                try URLReplacement.list(text)
            }
        },
        ServerSetting(
            "local-root",
            .text("DIR"),
            optional: \.localRoot,
            default: "none",
            imgproxy: "LOCAL_FILESYSTEM_ROOT",
            help: "Folder that local:///PATH is relative to; nothing outside it is read."
        ),
        ServerSetting(
            "allow-private",
            .addresses,
            default: "none",
            help: """
                Load from private addresses too: from this machine and its network, or only from these \
                networks, such as 10.0.0.0/8,192.168.0.0/16. Addresses where clouds hand out credentials, \
                such as 169.254.169.254, must be named one by one.
                """
        ) { policy, configuration in
            configuration.allowsPrivateAddresses = policy.isSuperset(of: .allPrivate)
            configuration.allowedAddresses.networks = policy.networks
        }.repeated.implying("true"),
        addresses("loopback", .loopback, of: "this machine: 127.0.0.0/8 and ::1"),
        addresses(
            "link-local",
            .linkLocal,
            of: "the same link: 169.254.0.0/16 and fe80::/10, except metadata services"
        ),
        addresses(
            "private",
            .privateNetworks,
            of: "private networks: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 and fc00::/7"
        ),
    ]

    /// Returns the switch that allows one more `kind` of addresses.
    private static func addresses(
        _ name: String,
        _ kind: AddressPolicy,
        of place: String
    ) -> ServerSetting {
        let imgproxy = name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
        return ServerSetting(
            switch: "allow-\(name)-source-addresses",
            imgproxy: ["ALLOW_\(imgproxy)_SOURCE_ADDRESSES"],
            help: "Load from addresses of \(place)."
        ) {
            let others = $1.allowedAddresses.subtracting(kind)
            $1.allowedAddresses = $0 ? others.union(kind) : others
        }
    }

    static let caches: [ServerSetting] = [
        ServerSetting(
            "cache",
            .text("DIR"),
            optional: \.cacheFolder,
            default: "none",
            help: "Cache results in this folder."
        ),
        ServerSetting(
            "cache-size",
            .byteCount,
            \.cacheSize,
            help: "Maximum size of the cache folder; the least requested entries are removed first."
        ),
        ServerSetting(
            switch: "cache-sources",
            \.keepsSources,
            help: "Cache sources in the folder too, so that another size needs no download."
        ),
        ServerSetting(switch: "no-cache", help: "Cache no results, neither in a folder nor in memory.") {
            guard $0 else { return }
            $1.cacheFolder = nil
            $1.pipeline.memoryCache = .none
        },
        ServerSetting(
            "memory-cache",
            .byteCount,
            \.pipeline.memoryCache.bytes,
            help: "Maximum size of the results cached in memory; 0 for none."
        ),
    ]
}
