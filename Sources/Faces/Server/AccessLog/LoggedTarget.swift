import CalotypeCore

/// The target of a request as the log has it, which may say where a picture is, and with which password.
enum LoggedTarget {
    /// How many segments are tried as the first of a source in Base64: a signature or a preset may stand before it.
    private static let mostTries = 8

    /// `target` without user names and passwords; a source in Base64 that has some is written as it reads.
    static func text(_ target: String) -> String {
        let target = URLCredentials.removed(in: target)
        let segments = target.split(separator: "/", omittingEmptySubsequences: false)
        // Options have a colon, and stand before the source.
        let first = segments.lastIndex { $0.contains(":") || $0.contains("%3A") }.map { $0 + 1 } ?? 0
        for start in segments.indices[first...].prefix(mostTries) {
            let (digits, format) = parts(segments[start...].joined())
            guard let bytes = Base64URL.bytes(Base64URL.withoutPadding(digits)),
                let source = String(validating: bytes, as: UTF8.self)
            else { continue }
            let shown = URLCredentials.removed(from: source)
            guard shown != source else { continue }
            return segments[..<start].map { $0 + "/" }.joined() + "plain/"
                + PercentEscapes.encoded(shown, keeping: ":/") + format.map { "@\($0)" }.joined()
        }
        return target
    }

    /// What stands before the dot or the query, and the format behind the dot.
    private static func parts(_ text: String) -> (digits: Substring, format: [Substring]) {
        let path = text.prefix { $0 != "?" }
        let halves = path.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return (halves[0], Array(halves.dropFirst()))
    }
}
