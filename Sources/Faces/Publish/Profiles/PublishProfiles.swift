public import CalotypeCore
import CalotypeFiles
internal import CalotypeHTTP
internal import CalotypePlatform

/// The servers that a user has configured, by name.
public struct PublishProfiles: Sendable {
    /// The profiles by name.
    public let entries: [String: PublishProfile]
    /// The source of the profiles, for messages.
    public let source: String

    /// Creates a set of profiles.
    public init(_ entries: [String: PublishProfile], from source: String = "the profiles") {
        self.entries = entries
        self.source = source
    }

    /// Reads profiles from JSON.
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
    ///   - name: The name that messages use for the text, such as the path of its file.
    /// - Throws: `invalid_document`, with the line and the column; no value is repeated.
    public init(json: [UInt8], named name: String = "the profiles") throws(CalotypeError) {
        entries = try JSONReader.read(json, named: name, limit: .mebibytes(1)) {
            document throws(CalotypeError) in
            try ProfileDocument.profiles(document)
        }
        source = name
    }

    /// Whether a profile may have this name, which must not look like a URL or an option.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.count) && !text.hasPrefix("-")
            && text.allSatisfy { $0.isLetter || $0.isNumber || ".-_".contains($0) }
    }

    /// Returns the profile called `name`.
    ///
    /// - Throws: `invalid_request` if there is none; the message lists the existing names.
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

/// Reads the parts of a document of profiles.
private enum ProfileDocument {
    static let names = [
        "to", "post_to", "settle", "token", "user", "password", "access_key", "secret_key", "session_token",
        "region", "width", "allow_http",
    ]

    static func profiles(_ document: LocatedJSON) throws(CalotypeError) -> [String: PublishProfile] {
        guard case .object(let fields) = document.value else {
            throw document.invalid("expected an object of profiles by name, not \(document.kind)")
        }
        var profiles: [String: PublishProfile] = [:]
        for field in fields {
            guard PublishProfiles.isName(field.name) else {
                throw document.source.invalid(
                    "a profile's name can contain only letters, digits, dots, hyphens and underscores",
                    at: field.offset
                )
            }
            profiles[field.name] = try profile(field.value)
        }
        return profiles
    }

    private static func profile(_ value: LocatedJSON) throws(CalotypeError) -> PublishProfile {
        let fields = try JSONFields(value, "a profile", names: names)
        let allowsHTTP = try fields.truth("allow_http") ?? false
        let address = try fields.value("to") { text throws(CalotypeError) in
            try DestinationAddress(text, allowsHTTP: allowsHTTP)
        }
        guard let address else { throw value.invalid("the profile has no \"to\", the URL of its server") }
        var profile = PublishProfile(address, try credentials(fields))
        profile.postURL = try fields.value("post_to") { text throws(CalotypeError) in
            try DestinationAddress.url(text, allowsHTTP: allowsHTTP)
        }
        profile.settling = try fields.value("settle") { text throws(CalotypeError) in
            try PostSettling(text, allowsHTTP: allowsHTTP)
        }
        profile.allowsHTTP = allowsHTTP
        profile.width = try fields.integer("width", in: 1...64)
        return profile
    }

    private static func credentials(_ fields: JSONFields) throws(CalotypeError) -> PublishCredentials {
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
        case (nil, _): throw fields.invalid("secret_key", "\"secret_key\" also needs an \"access_key\"")
        case (_, nil): throw fields.invalid("access_key", "\"access_key\" also needs a \"secret_key\"")
        }
        return credentials
    }

    private static func secret(_ name: String, _ fields: JSONFields) throws(CalotypeError) -> Secret? {
        guard let text = try fields.text(name) else { return nil }
        guard !text.isEmpty, PublishCredentials.isUsable(text) else {
            throw fields.invalid(
                name,
                "\"\(name)\" is empty, or has a line break or another control character"
            )
        }
        return Secret(text)
    }
}

extension PublishProfiles {
    /// Returns the path of a user's profiles.
    ///
    /// It is `$XDG_CONFIG_HOME/calotype/profiles.json`, or `~/.config/calotype/profiles.json`.
    ///
    /// - Parameter environment: The environment variables that locate the folder.
    /// - Returns: The path; `nil` if no variable locates a folder.
    public static func defaultPath(environment: [String: String]) -> String? {
        // The XDG base directory specification says to ignore a path that is not absolute.
        let folder = { (name: String) -> String? in environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        return (folder("XDG_CONFIG_HOME") ?? folder("HOME").map { "\($0)/.config" }).map {
            "\($0)/calotype/profiles.json"
        }
    }

    /// Reads the profiles in the file at `path`.
    ///
    /// - Throws: `file_not_readable` if the file is missing, others may read or write it, or it belongs to
    ///   another user: the message says what to enter. `invalid_document` as for ``init(json:named:)``.
    public init(file path: String) throws(CalotypeError) {
        let bytes: [UInt8]
        do {
            let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
            try Self.check(file.status(), path)
            // Read one more byte than allowed, to detect a longer file.
            bytes = try file.read((1 << 20) + 1, at: 0)
        } catch {
            throw error as? CalotypeError ?? Self.unreadable(path, error as? SystemError)
        }
        try self.init(json: bytes, named: path)
    }

    private static func check(_ status: stat, _ path: String) throws(CalotypeError) {
        guard status.isKind(S_IFREG) else { throw unreadable(path, "it is not a regular file") }
        guard status.st_uid == geteuid() else {
            throw unreadable(path, "it contains passwords and belongs to another user; create your own")
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw unreadable(
                path,
                "it contains passwords, and its mode \(mode) lets other users read it; "
                    + "run: chmod 600 \(ShellWord.quoted(path))"
            )
        }
    }

    private static func unreadable(_ path: String, _ error: SystemError?) -> CalotypeError {
        guard let error else { return unreadable(path, "it cannot be read") }
        guard error.code == ENOENT else { return unreadable(path, error.reason.lowercased()) }
        return unreadable(
            path,
            "there is no such file; create it with mode 600, such as "
                + #"{"blog": {"to": "tus+https://example.org/files/", "token": "…"}}"#
        )
    }

    private static func unreadable(_ path: String, _ reason: String) -> CalotypeError {
        CalotypeError(.fileNotReadable, "\(path): \(reason)", stage: .request)
    }
}
