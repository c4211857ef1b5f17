public import CalotypeCore
internal import CalotypeHTTP

/// Servers by name, as their user has written them down.
public struct PublishProfiles: Sendable {
    /// The profiles by their names.
    public let entries: [String: PublishProfile]
    /// Where they come from, for messages.
    public let source: String

    /// Creates a set of profiles.
    public init(_ entries: [String: PublishProfile], from source: String = "the profiles") {
        self.entries = entries
        self.source = source
    }

    /// Reads profiles that are written as JSON.
    ///
    /// ```json
    /// {"blog": {"to": "wordpress+https://example.org", "user": "ada", "password": "…"},
    ///  "shelf": {"to": "s3+https://s3.example.org/shelf/2026", "access_key": "…", "secret_key": "…", "region": "eu"},
    ///  "desk": {"to": "tus+https://example.org/files/", "post_to": "https://example.org/posts", "settle": "key",
    ///           "token": "…", "width": 2}}
    /// ```
    ///
    /// - Parameters:
    ///   - json: The text, at most 1 MiB.
    ///   - name: What messages call it, such as the path of its file.
    /// - Throws: `invalid_document`, with the line and the character; no value is repeated.
    public init(json: [UInt8], named name: String = "the profiles") throws(CalotypeError) {
        entries = try JSONReader.read(json, named: name, limit: .mebibytes(1)) { document throws(JSONFault) in
            try ProfileDocument.profiles(document)
        }
        source = name
    }

    /// Whether a profile may have this name, which is taken neither for a URL nor for an option.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.count) && !text.hasPrefix("-")
            && text.allSatisfy { $0.isLetter || $0.isNumber || ".-_".contains($0) }
    }

    /// The profile called `name`.
    ///
    /// - Throws: `invalid_request` where there is none, with the names that there are.
    public func profile(named name: String) throws(CalotypeError) -> PublishProfile {
        if let profile = entries[name] { return profile }
        let names = entries.keys.sorted()
        let hint = NearestName.find(name, in: names).map { "; did you mean \($0)?" }
        let all = names.isEmpty ? ", which has none" : ", which has \(names.joined(separator: ", "))"
        throw CalotypeError(
            .invalidRequest,
            "there is no profile \"\(name)\" in \(source)\(hint ?? all)",
            stage: .request
        )
    }
}

/// What stands where in a document of profiles.
private enum ProfileDocument {
    static let names = [
        "to", "post_to", "settle", "token", "user", "password", "access_key", "secret_key", "session_token",
        "region", "width", "allow_http",
    ]

    static func profiles(_ document: LocatedJSON) throws(JSONFault) -> [String: PublishProfile] {
        guard case .object(let fields) = document.value else {
            throw document.fault("there has to be an object of profiles by name, not \(document.kind)")
        }
        var profiles: [String: PublishProfile] = [:]
        for field in fields {
            guard PublishProfiles.isName(field.name) else {
                throw JSONFault(
                    offset: field.offset,
                    reason: "a profile's name is made of letters, digits, dots, hyphens and underscores"
                )
            }
            profiles[field.name] = try profile(field.value)
        }
        return profiles
    }

    private static func profile(_ value: LocatedJSON) throws(JSONFault) -> PublishProfile {
        let fields = try JSONFields(value, "a profile", names: names)
        let allowsHTTP = try fields.truth("allow_http") ?? false
        let address = try fields.value("to") { text throws(ValueFault) in
            try checked { () throws(CalotypeError) in try DestinationAddress(text, allowsHTTP: allowsHTTP) }
        }
        guard let address else { throw value.fault("the profile has no \"to\", the URL of its server") }
        var profile = PublishProfile(address, try credentials(fields))
        profile.postURL = try fields.value("post_to") { text throws(ValueFault) in
            try checked { () throws(CalotypeError) in
                try DestinationAddress.url(text, allowsHTTP: allowsHTTP)
            }
        }
        profile.settling = try fields.value("settle") { text throws(ValueFault) in
            try checked { () throws(CalotypeError) in try PostSettling(text, allowsHTTP: allowsHTTP) }
        }
        profile.allowsHTTP = allowsHTTP
        profile.width = try fields.integer("width", in: 1...64)
        return profile
    }

    private static func credentials(_ fields: JSONFields) throws(JSONFault) -> PublishCredentials {
        var credentials = PublishCredentials()
        credentials.token = try secret("token", fields)
        credentials.user = try secret("user", fields)?.text
        credentials.password = try secret("password", fields)
        credentials.region = try secret("region", fields)?.text
        let sessionToken = try secret("session_token", fields)
        switch (try secret("access_key", fields), try secret("secret_key", fields)) {
        case (nil, nil): break
        case (let access?, let secret?):
            credentials.keys = .init(accessKey: access.text, secretKey: secret, sessionToken: sessionToken)
        case (nil, _): throw fields.fault("secret_key", "\"secret_key\" needs an \"access_key\" beside it")
        case (_, nil): throw fields.fault("access_key", "\"access_key\" needs a \"secret_key\" beside it")
        }
        return credentials
    }

    private static func secret(_ name: String, _ fields: JSONFields) throws(JSONFault) -> Secret? {
        guard let text = try fields.text(name) else { return nil }
        guard !text.isEmpty, PublishCredentials.isUsable(text) else {
            throw fields.fault(name, "\"\(name)\" is empty, or has a line break or another control character")
        }
        return Secret(text)
    }

    /// Why a text is refused, without the text.
    private static func checked<Value>(_ read: () throws(CalotypeError) -> Value) throws(ValueFault) -> Value
    {
        do { return try read() } catch { throw ValueFault(reason: error.message) }
    }
}
