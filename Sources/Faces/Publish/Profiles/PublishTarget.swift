package import CalotypeCore
internal import CalotypeHTTP
internal import FoundationEssentials

/// The destination that a user chose, by a URL or the name of a profile, and the options for it.
package struct PublishTarget: Hashable, Sendable, Codable {
    /// The URL, or the name of a profile.
    package var to: String
    /// The URL that accepts the post itself.
    package var postTo: String?
    /// How to settle a lost response.
    package var settle: String?
    /// Whether to allow `http` for other machines than this one.
    package var allowsHTTP = false

    /// Creates a target.
    package init(to: String) {
        self.to = to
    }

    /// Whether the target may be stored: no part of it is a URL with a query, which may be a signature.
    package var isPlain: Bool {
        ![to, postTo, settle].contains { $0?.contains("?") ?? false }
    }

    /// Resolves the target: from its URL or profile, with missing credentials from the environment.
    ///
    /// - Throws: `invalid_request`, `invalid_url`, `file_not_readable` and others; no credential is repeated.
    package func profile(environment: [String: String]) throws(CalotypeError) -> PublishProfile {
        var profile =
            PublishProfiles.isName(to)
            ? try Self.profile(named: to, environment) : PublishProfile(try address())
        let allowsHTTP = allowsHTTP || profile.allowsHTTP
        if let postTo {
            profile.postURL = try Self.naming("--post-to") { () throws(CalotypeError) in
                try DestinationAddress.url(postTo, allowsHTTP: allowsHTTP)
            }
        }
        if let settle {
            profile.settling = try Self.naming("--settle") { () throws(CalotypeError) in
                try PostSettling(settle, allowsHTTP: allowsHTTP)
            }
        }
        profile.credentials = profile.credentials.completed(
            by: try PublishCredentials(environment: environment)
        )
        return profile
    }

    /// Returns the server of a publication in the journal, to clean up there; `nil` if it is unknown.
    ///
    /// - Throws: The errors that ``profile(environment:)`` throws; `invalid_request` if the profile now has
    ///   another server.
    package static func destination(
        of record: PublicationRecord,
        environment: [String: String]
    ) throws(CalotypeError) -> (any PublishDestination)? {
        var target = PublishNote(record.note)?.target ?? PublishTarget(to: record.destination)
        // A target in the journal was allowed when it was stored.
        target.allowsHTTP = true
        var profile = try target.profile(environment: environment)
        // No post will be sent.
        profile.postURL = profile.postURL ?? profile.address.url
        let destination = try profile.destination()
        guard record.isFor(destination) else {
            throw CalotypeError(
                .invalidRequest,
                "\(target.to) is now another server: \(destination.name)",
                stage: .request
            )
        }
        return destination
    }

    private func address() throws(CalotypeError) -> DestinationAddress {
        try Self.naming("--to") { () throws(CalotypeError) in
            try DestinationAddress(to, allowsHTTP: allowsHTTP)
        }
    }

    /// Adds the option that an error is about to its message.
    private static func naming<Value>(
        _ option: String,
        _ read: () throws(CalotypeError) -> Value
    ) throws(CalotypeError) -> Value {
        do {
            return try read()
        } catch {
            throw CalotypeError(error.code, "\(option): \(error.message)", stage: error.stage, url: error.url)
        }
    }

    private static func profile(
        named name: String,
        _ environment: [String: String]
    ) throws(CalotypeError) -> PublishProfile {
        guard let path = PublishProfiles.defaultPath(environment: environment) else {
            throw CalotypeError(
                .invalidRequest,
                "no home directory for profiles; use a URL such as tus+https://example.org/files/",
                stage: .request
            )
        }
        do {
            return try PublishProfiles(file: path).profile(named: name)
        } catch {
            guard error.code == .fileNotReadable else { throw error }
            throw CalotypeError(
                error.code,
                "\"\(name)\" is not a URL, and the profiles cannot be read: \(error.message)",
                stage: .request
            )
        }
    }
}

/// The command's note in the journal about a publication.
///
/// With it, a user can resume the publication without entering the options again. It contains no credentials;
/// they are read again.
package struct PublishNote: Hashable, Sendable, Codable {
    /// The path of the file that contains the post; `nil` for standard input.
    package let file: String?
    /// The destination; `nil` if it may not be stored.
    package let target: PublishTarget?

    /// Creates a note.
    package init(file: String?, target: PublishTarget) {
        self.file = file
        self.target = target.isPlain ? target : nil
    }

    /// Reads a note that ``text`` wrote; `nil` for anything else.
    package init?(_ text: String?) {
        guard let text, let note = try? JSONDecoder().decode(PublishNote.self, from: Data(text.utf8)) else {
            return nil
        }
        self = note
    }

    /// The note as the journal stores it.
    ///
    /// It is `nil` if the note cannot be encoded; the user must then enter the options to resume.
    package var text: String? {
        (try? JSONLine.bytes(self)).map { String(decoding: $0, as: UTF8.self) }
    }
}
