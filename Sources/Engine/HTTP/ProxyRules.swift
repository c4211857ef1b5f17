public import CalotypeCore
import CalotypeHTTPMessages

/// The choice of an HTTP proxy by the URL of a request.
///
/// A proxy resolves the origins' names, so an ``AddressPolicy`` applies only to hosts that are addresses, and to
/// requests without a proxy. The proxy itself may have any address.
public struct ProxyRules: Hashable, Sendable {
    /// A host, domain or network that is reached without a proxy.
    private enum Exception: Hashable {
        case all
        case domain(String)
        case network(IPNetwork)

        init(_ text: some StringProtocol) {
            let host = text.hasPrefix("[") ? String(text.dropFirst().prefix { $0 != "]" }) : String(text)
            if let network = IPNetwork(host) {
                self = .network(network)
            } else {
                let name = host.lowercased().trimmingDots
                self = name == "*" ? .all : .domain(name.hasPrefix("*.") ? String(name.dropFirst(2)) : name)
            }
        }

        func covers(_ url: WebURL) -> Bool {
            switch self {
            case .all: return true
            case .network(let network): return url.address.map(network.contains) ?? false
            case .domain(let name):
                let host = url.host.trimmingDots
                return host == name || host.hasSuffix("." + name)
            }
        }
    }

    /// The proxy for `http` URLs.
    public var http: WebURL?
    /// The proxy for `https` URLs.
    public var https: WebURL?
    private var exceptions: Set<Exception> = []

    /// No proxy.
    public static let none = ProxyRules()

    /// Returns rules that send all requests through `proxy`.
    public static func all(_ proxy: WebURL) -> ProxyRules {
        var rules = ProxyRules()
        (rules.http, rules.https) = (proxy, proxy)
        return rules
    }

    private init() {}

    /// Reads the rules from environment variables, as curl does.
    ///
    /// `http_proxy` and `https_proxy` are URLs of proxies, and `no_proxy` lists hosts, domains and networks to
    /// reach directly, or is `*`. Upper-case names also count, except `HTTP_PROXY`, which a CGI server sets from a
    /// header field of its client.
    ///
    /// - Parameter environment: The variables; empty ones count as unset.
    /// - Throws: `invalid_url` or `unsupported_scheme`, with the variable's name.
    public init(environment: [String: String]) throws(CalotypeError) {
        http = try Self.proxy(["http_proxy"], environment)
        https = try Self.proxy(["https_proxy", "HTTPS_PROXY"], environment)
        guard http != nil || https != nil,
            let direct = ["no_proxy", "NO_PROXY"].lazy.compactMap({ environment[$0] }).first
        else { return }
        exceptions = Set(direct.split { $0 == "," || $0.isWhitespace }.map { Exception($0) })
    }

    /// Returns the proxy for a request to `url`; `nil` if it goes to the origin itself.
    public func proxy(for url: WebURL) -> WebURL? {
        guard let proxy = url.scheme == .https ? https : http else { return nil }
        return exceptions.contains { $0.covers(url) } ? nil : proxy
    }

    private static func proxy(
        _ names: [String],
        _ environment: [String: String]
    ) throws(CalotypeError) -> WebURL? {
        for name in names {
            guard let text = environment[name], !text.isEmpty else { continue }
            do throws(CalotypeError) {
                return try WebURL(text.contains("://") ? text : "http://\(text)")
            } catch {
                // The value may have a password.
                throw CalotypeError(
                    error.code,
                    "\(name) is not the URL of an HTTP proxy: \(error.message)",
                    stage: .request
                )
            }
        }
        return nil
    }
}

extension String {
    /// The name without the dot before a domain or after a root.
    fileprivate var trimmingDots: String {
        String(drop { $0 == "." }.reversed().drop { $0 == "." }.reversed())
    }
}
