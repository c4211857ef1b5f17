import CalotypeCCurl
import CalotypeCore
import CalotypeFiles

/// A URL parsed by libcurl; owns the `CURLU` handle.
@safe struct ParsedURL: ~Copyable {
    /// The components of a ``WebURL``.
    struct Parts {
        let scheme: WebURL.Scheme
        /// The host without brackets and zone.
        let host: String
        let port: UInt16
        /// The whole URL without credentials and fragment.
        let text: String
    }

    private let handle: OpaquePointer

    init(_ text: String) throws(CalotypeError) {
        guard let handle = unsafe curl_url() else { throw WebURL.invalid("out of memory") }
        let status = unsafe Self.set(handle, text)
        guard status == CURLUE_OK else {
            unsafe curl_url_cleanup(handle)
            throw WebURL.invalid(unsafe String(cString: curl_url_strerror(status)).lowercased())
        }
        unsafe self.handle = handle
    }

    deinit {
        unsafe curl_url_cleanup(handle)
    }

    /// Replaces the URL with the target of `reference`; `false` if that is not a URL.
    func set(_ reference: String) -> Bool {
        unsafe Self.set(handle, reference) == CURLUE_OK
    }

    /// The whole URL, with the host as it was written.
    func absolute() -> String? {
        part(CURLUPART_URL)
    }

    /// The value `Basic …` if the URL has a user name or password.
    func authorization() -> String? {
        let user = part(CURLUPART_USER, CURLU_URLDECODE)
        let password = part(CURLUPART_PASSWORD, CURLU_URLDECODE)
        guard user != nil || password != nil else { return nil }
        return "Basic " + Base64.text(Array("\(user ?? ""):\(password ?? "")".utf8))
    }

    func parts() throws(CalotypeError) -> Parts {
        guard let scheme = part(CURLUPART_SCHEME).flatMap({ WebURL.Scheme(rawValue: $0.lowercased()) }),
            let written = try asciiHost(), let path = part(CURLUPART_PATH)
        else { throw WebURL.invalid("it has no host") }
        let port = part(CURLUPART_PORT).flatMap { UInt16($0) } ?? scheme.defaultPort
        let isV6 = written.hasPrefix("[")
        let host = isV6 ? String(written.dropFirst().dropLast()) : written
        let zone = part(CURLUPART_ZONEID).map { "%25" + $0 } ?? ""
        let authority = (isV6 ? "[\(host)\(zone)]" : host) + (port == scheme.defaultPort ? "" : ":\(port)")
        let query = part(CURLUPART_QUERY).map { "?" + $0 } ?? ""
        return Parts(
            scheme: scheme,
            host: host,
            port: port,
            text: "\(scheme)://\(authority)\(path)\(query)"
        )
    }

    /// The host in lower case without a trailing dot; an IPv6 address is in brackets.
    private func asciiHost() throws(CalotypeError) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe calotype_url_ascii_host(handle, &text) == CURLUE_OK, let text = unsafe text else {
            throw WebURL.invalid("its host name is not valid")
        }
        defer { unsafe curl_free(text) }
        var host = unsafe String(cString: text).lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        // The longest name in DNS has 253 characters (RFC 1035, section 2.3.4).
        guard host.utf8.count <= 253, !host.isEmpty, !host.utf8.contains(where: Self.cannotBeInHost) else {
            throw WebURL.invalid("its host name is not valid")
        }
        return host
    }

    private static func cannotBeInHost(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte >= 0x7F || "\"#%&'()*+,/;<=>?@\\^`{|}".utf8.contains(byte)
    }

    private func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK, let text = unsafe text
        else {
            return nil
        }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }

    private static func set(_ handle: OpaquePointer, _ text: String) -> CURLUcode {
        unsafe curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_URLENCODE))
    }
}
