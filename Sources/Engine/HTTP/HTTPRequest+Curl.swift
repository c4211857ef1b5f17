/// What libcurl has to be told.
extension HTTPRequest {
    /// Whether it is a `GET` on whatever connection there is.
    var isPlain: Bool { method == .get && !needsNewConnection }

    /// The header lines; one without a value ends in a semicolon, by libcurl's rules.
    var curlLines: [String] {
        var lines = headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        if let authorization = url.authorization, headers["Authorization"] == nil {
            lines.append("Authorization: \(authorization)")
        }
        // Without a word libcurl would ask for every body of a megabyte and more.
        if !body.isEmpty { lines.append(expectsContinue ? "Expect: 100-continue" : "Expect:") }
        return lines
    }
}
