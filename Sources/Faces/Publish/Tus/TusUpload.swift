internal import CalotypeHTTP

/// An upload on the server, as the journal remembers it.
struct TusUpload: Hashable, Codable {
    /// Where it is.
    let url: String
    /// How long the file is.
    let length: Int
    /// When the server forgets it, in seconds since 1970; `nil` where it did not tell.
    var expires: Int?

    /// Describes the upload that an answer tells of.
    init(_ url: WebURL, length: Int, expires: WallTime?) {
        self.url = url.text
        self.length = length
        self.expires = expires?.secondsSince1970
    }

    /// Whether the server has forgotten it by `now`.
    func hasExpired(at now: WallTime) -> Bool {
        expires.map { $0 <= now.secondsSince1970 } ?? false
    }

    /// Takes a new expiry; whether it is worth remembering: seconds are not.
    mutating func renew(_ expiry: WallTime?) -> Bool {
        guard let expiry else { return false }
        let new = expiry.secondsSince1970
        if let expires, abs(new - expires) < 60 { return false }
        expires = new
        return true
    }
}
