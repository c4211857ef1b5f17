/// The request line and the fields of a request (RFC 9112).
struct RequestHead: Sendable {
    var method: String
    /// Path and query as sent, without scheme and host.
    var target: String
    /// By lower-case name; fields of the same name joined by commas.
    var fields: [String: String]
    var isHTTP10: Bool

    /// The most bytes of a head.
    static let largest = 16 * 1024

    /// Parses the lines before the blank one; `nil` when they are no HTTP/1 request.
    init?(_ bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        // CR LF is one Character, so that both line ends are told apart from text in one go.
        var lines = text.split(omittingEmptySubsequences: true) { $0 == "\r\n" || $0 == "\n" }[...]
        guard let line = lines.popFirst() else { return nil }
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else { return nil }
        guard let target = Self.originForm(words[1]) else { return nil }
        method = String(words[0])
        self.target = target
        isHTTP10 = words[2] == "HTTP/1.0"
        fields = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return nil }
            let name = line[..<colon].lowercased()
            let value = Self.trimmed(line[line.index(after: colon)...])
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
    }

    /// The target before the question mark.
    var path: String {
        String(target.prefix { $0 != "?" })
    }

    /// The decoded value of the first query item called `name`; `nil` where there is none.
    func query(_ name: String) -> String? {
        queries(name).first
    }

    /// The decoded value of a query item as forms write it, with `+` for a space; `nil` where there is none.
    func formQuery(_ name: String) -> String? {
        rawQueries(name).first.flatMap { PercentCoding.decoded(String($0.map { $0 == "+" ? " " : $0 })) }
    }

    /// The decoded values of all query items called `name`.
    func queries(_ name: String) -> [String] {
        rawQueries(name).compactMap { PercentCoding.decoded($0) }
    }

    private func rawQueries(_ name: String) -> [Substring] {
        guard let mark = target.firstIndex(of: "?") else { return [] }
        let items = target[target.index(after: mark)...].split(separator: "&")
        return items.filter { $0.hasPrefix("\(name)=") }.map { $0.dropFirst(name.utf8.count + 1) }
    }

    /// Whether the client wants the connection closed after the answer.
    var wantsClose: Bool {
        let connection = fields["connection"]?.lowercased() ?? ""
        return connection.contains("close") || (isHTTP10 && !connection.contains("keep-alive"))
    }

    /// The announced length of the body, 0 without one; `nil` where it cannot be told.
    var bodyLength: Int? {
        guard fields["transfer-encoding"] == nil else { return nil }
        guard let text = fields["content-length"] else { return 0 }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }

    private static func originForm(_ target: Substring) -> String? {
        if target.hasPrefix("/") { return String(target) }
        guard target.hasPrefix("http://") else { return nil }
        let rest = target.dropFirst(7)
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank = { (c: Character) in c == " " || c == "\t" }
        let start = text.drop(while: isBlank)
        return String(start.reversed().drop(while: isBlank).reversed())
    }
}
