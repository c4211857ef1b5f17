internal import CalotypeCore
internal import CalotypeHTTP

/// What a response's head says against the use of its picture: `X-Robots-Tag` and `TDM-Reservation`.
struct UseDirectives: Sendable {
    /// The directives of `X-Robots-Tag` that refuse a picture.
    let refused: Set<String>
    /// The crawler's product token in lower case.
    let product: String

    /// Returns the words in the head that refuse the picture, as the host sent them; `nil` if nothing does.
    ///
    /// A value of `X-Robots-Tag` may begin with the crawler that it is for, such as `otherbot: noai`; it then
    /// applies to that crawler alone, up to the next name. `none` stands for `noindex, nofollow`. A
    /// `TDM-Reservation` of 1 reserves the rights of text and data mining (W3C TDM Reservation Protocol).
    func refusal(in headers: HTTPHeaders) -> String? {
        for value in headers.values(of: "X-Robots-Tag") {
            if let word = refusedWord(in: value) { return "X-Robots-Tag: \(word)" }
        }
        let reserves = headers.values(of: "TDM-Reservation").contains { Self.trimmed($0[...]) == "1" }
        return reserves ? "TDM-Reservation: 1" : nil
    }

    private func refusedWord(in value: String) -> String? {
        var applies = true
        for part in value.lowercased().split(separator: ",") {
            var word = Self.trimmed(part)
            if let colon = word.firstIndex(of: ":") {
                let name = Self.trimmed(word[..<colon])
                // Directives with values of their own are no names of crawlers.
                guard !Self.valued.contains(name) else { continue }
                applies = name == product || name == "*"
                word = Self.trimmed(word[word.index(after: colon)...])
            }
            guard applies else { continue }
            if refused.contains(word) || (word == "none" && refused.contains("noindex")) { return word }
        }
        return nil
    }

    private static let valued: Set<String> = [
        "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview",
    ]

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }

    private static func trimmed(_ text: String) -> String { trimmed(text[...]) }
}
