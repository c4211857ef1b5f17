internal import CalotypeCore
internal import CalotypeHTTP

extension HTTPRequest {
    /// Adds an `Authorization` field with `value`, if there is one.
    mutating func authorize(_ value: Secret?) throws(CalotypeError) {
        guard let value else { return }
        try addHeader("Authorization", value.text)
    }
}

extension Secret {
    /// What an `Authorization` field says of a token (RFC 6750).
    static func bearer(_ token: Secret) -> Secret {
        Secret("Bearer \(token.text)")
    }

    /// What an `Authorization` field says of a user (RFC 7617).
    static func basic(_ user: String, _ password: Secret) -> Secret {
        let credentials = Base64.encode(Array("\(user):\(password.text)".utf8))
        return Secret("Basic \(String(decoding: credentials, as: UTF8.self))")
    }
}
