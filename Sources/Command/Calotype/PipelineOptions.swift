import Calotype
import CalotypeCodec
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypePlatform
import CalotypeServerSettings
import CalotypeStore

/// The cache options, which `fetch`, `info` and `thumb` share.
enum CacheOptions {
    static let folder = Option(
        "cache",
        .text("DIR"),
        default: "$XDG_CACHE_HOME/calotype",
        "Cache data from the network in this folder, for the next run."
    )
    static let size = Option(
        "cache-size",
        .byteSize,
        default: "1GiB",
        "Maximum size of the cache folder; the least requested entries are removed first."
    )
    static let none = Flag("no-cache", "Do not use the cache: store nothing in it and read nothing from it.")
    static let reload = Flag("reload", "Ignore cached data, reload everything, and update the cache.")
    static let offline = Flag(
        "offline",
        "Use only cached data, even if it is stale; everything else fails with not_cached."
    )

    static let group = Command.Group("Cache", [folder, size, none, reload, offline])
    static let exclusive = [["no-cache", "cache"], ["no-cache", "offline"], ["reload", "offline"]]

    static func policy(_ arguments: ParsedArguments) -> CachePolicy {
        if arguments[reload] { return .reload }
        return arguments[offline] ? .cacheOnly : .use
    }

    /// Returns the folder and limit of the cache; `nil` for no cache.
    ///
    /// `onNotice` receives problems with the cache.
    static func cache(
        _ arguments: ParsedArguments,
        onNotice: @escaping @Sendable (String) -> Void
    ) -> DiskCacheConfiguration? {
        guard !arguments[none], let folder = arguments[folder] ?? defaultFolder else { return nil }
        var cache = DiskCacheConfiguration(folder: folder)
        if let size = arguments[size] { cache.limit = ByteCount(size.bytes) }
        cache.onNotice = onNotice
        return cache
    }

    /// `$XDG_CACHE_HOME/calotype`, else `~/.cache/calotype`; `nil` if neither variable is set.
    static var defaultFolder: String? {
        EnvironmentVariables.absolutePath(in: "XDG_CACHE_HOME").map { "\($0)/calotype" }
            ?? EnvironmentVariables.absolutePath(in: "HOME").map { "\($0)/.cache/calotype" }
    }
}

/// The network options, which `fetch`, `info` and `thumb` share.
enum NetworkOptions {
    static let timeout = Option(
        "timeout",
        .seconds(0.1...86_400),
        default: "60s",
        """
        Maximum time for one image, such as 5s, 500ms or 2m: attempts, redirects and body, but not the time \
        in the queue.
        """
    )
    static let retries = Option(
        "retries",
        .integer(0...20),
        default: "2",
        """
        Number of further attempts after a failed connection, a reset, a timeout, a truncated body, 429 or \
        5xx. Retry-After is respected within the timeout.
        """
    )
    static let header = Option(
        "header",
        .headerField,
        repeats: true,
        "Send this header field with each request."
    )
    static let userAgent = Option("user-agent", .text("TEXT"), "User-Agent header to send.")
    static let proxy = Option(
        "proxy",
        .proxyURL,
        default: "$http_proxy and $https_proxy",
        "Send all requests through this HTTP proxy. The proxy then resolves host names."
    )
    static let caFile = Option(
        "cacert",
        .text("FILE"),
        default: "the system's",
        "Trust the certificate authorities in this PEM file."
    )

    static let all: [any OptionDeclaring] = [timeout, retries, header, userAgent, proxy, caFile]

    /// - Throws: `UsageError` if a variable that names a proxy is invalid.
    static func configuration(_ arguments: ParsedArguments) throws(UsageError) -> PipelineConfiguration {
        var configuration = PipelineConfiguration()
        configuration.timeout = arguments[timeout] ?? configuration.timeout
        configuration.retries = arguments[retries] ?? configuration.retries
        configuration.headers = arguments.all(header)
        configuration.transport.userAgent = arguments[userAgent] ?? configuration.transport.userAgent
        configuration.transport.proxies = try proxies(arguments)
        configuration.transport.certificateFile = arguments[caFile]
        return configuration
    }

    private static func proxies(_ arguments: ParsedArguments) throws(UsageError) -> ProxyRules {
        if let proxy = arguments[proxy] { return .all(proxy) }
        do throws(CalotypeError) {
            return try ProxyRules(environment: EnvironmentVariables.all)
        } catch {
            throw UsageError(error.message, program: CalotypeProgram.program.name)
        }
    }
}

/// The option `--allow-private`.
enum AddressOptions {
    private static let name = "allow-private"
    private static let metadata = """
        Addresses where clouds hand out credentials, such as 169.254.169.254, must be named one by one.
        """

    /// The option of commands that load from public addresses unless it is given.
    static let publicByDefault = Option(
        name,
        .networks,
        implied: .allPrivate,
        repeats: true,
        """
        Allow loopback, private and other addresses that are not on the public internet: all, or only those \
        in these networks, such as 10.0.0.0/8,192.168.0.0/16. \(metadata)
        """
    )
    /// The option of commands whose user types the URL.
    static let allByDefault = Option(
        name,
        .networks,
        implied: .allPrivate,
        default: "all",
        repeats: true,
        """
        Allow only public addresses and those in these networks, such as 10.0.0.0/8,192.168.0.0/16. Without \
        networks, all private addresses are allowed. \(metadata)
        """
    )

    /// Returns the addresses that the arguments allow beside public ones; `nil` without the option.
    static func policy(_ arguments: ParsedArguments) -> AddressPolicy? {
        let policies = arguments.all(publicByDefault)
        return policies.isEmpty ? nil : policies.reduce(.publicOnly) { $0.union($1) }
    }
}

extension ValueType where Value == HeaderField {
    /// A header field as `Name: value`.
    static var headerField: ValueType {
        ValueType(placeholder: "'NAME: VALUE'") { text throws(UsageError) in
            guard let colon = text.firstIndex(of: ":") else {
                throw UsageError("is not a header field such as 'Accept-Language: en'")
            }
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            do throws(HTTPMessageError) {
                return try HeaderField(checking: String(text[..<colon]), String(value))
            } catch {
                throw UsageError(error.message)
            }
        }
    }
}

/// The option for decoding in separate processes.
enum DecoderOptions {
    static let isolate = Option(
        "isolate",
        .cases as ValueType<DecoderIsolation>,
        default: DecoderIsolation.slow.rawValue,
        """
        What to decode and encode in separate processes, so that an image that makes a library crash or \
        hang affects only itself: slow is what libvips handles, all is everything.
        """
    )

    /// Applies the option to `configuration`, also for commands that do not offer it.
    ///
    /// If the system cannot confine the processes entirely, a message on standard error says so.
    static func apply(_ arguments: ParsedArguments, to configuration: inout PipelineConfiguration) {
        let isolation = arguments[isolate] ?? .slow
        configuration.codec.isolation = isolation
        guard isolation != .none, !FetchOptionsGroup.isForPrograms(arguments) else { return }
        for part in DecoderWorker.missingProtection {
            Main.complain("calotype: separate processes for decoding: \(part) on this system\n")
        }
    }
}
