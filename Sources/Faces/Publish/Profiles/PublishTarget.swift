package import CalotypeCore
internal import CalotypeHTTP
internal import FoundationEssentials

/// Where a post is to go, as a user says it: by a URL or the name of a profile, and what is given beside.
package struct PublishTarget: Hashable, Sendable, Codable {
    /// The URL, or the name of a profile.
    package var to: String
    /// Where the post itself goes.
    package var postTo: String?
    /// How a lost answer is settled.
    package var settle: String?
    /// Whether `http` may be spoken with other machines than this one.
    package var allowsHTTP = false

    /// Creates a target.
    package init(to: String) {
        self.to = to
    }

    /// Whether it may be written down: no part of it is a URL with a query, which may be a signature.
    package var isPlain: Bool {
        ![to, postTo, settle].contains { $0?.contains("?") ?? false }
    }

    /// The server with all that is needed there: from the URL or the profile, and from the environment what that has not.
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

    /// The server of a publication in the journal, for the removal of what is there; `nil` where it is not known any more.
    ///
    /// - Throws: What ``profile(environment:)`` throws; `invalid_request` where the profile has another server now.
    package static func destination(
        of record: PublicationRecord,
        environment: [String: String]
    ) throws(CalotypeError) -> (any PublishDestination)? {
        var target = PublishNote(record.note)?.target ?? PublishTarget(to: record.destination)
        // What stands in the journal was allowed when it was written.
        target.allowsHTTP = true
        var profile = try target.profile(environment: environment)
        // No post is sent.
        profile.postURL = profile.postURL ?? profile.address.url
        let destination = try profile.destination()
        guard record.isFor(destination) else {
            throw CalotypeError(
                .invalidRequest,
                "\(target.to) is another server now, \(destination.name)",
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

    /// Says which option an error is about.
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
                "there is no home folder for profiles; give a URL such as tus+https://example.org/files/",
                stage: .request
            )
        }
        do {
            return try PublishProfiles(file: path).profile(named: name)
        } catch {
            guard error.code == .fileNotReadable else { throw error }
            throw CalotypeError(
                error.code,
                "\"\(name)\" is no URL, and profiles cannot be read: \(error.message)",
                stage: .request
            )
        }
    }
}

/// What the command writes into the journal beside a publication, by which it can be resumed without being told again.
///
/// There are no credentials in it: they are read anew.
package struct PublishNote: Hashable, Sendable, Codable {
    /// The path of the file that the post was read from; `nil` for standard input.
    package let file: String?
    /// Where the post goes; `nil` where that cannot be written down.
    package let target: PublishTarget?

    /// Creates a note.
    package init(file: String?, target: PublishTarget) {
        self.file = file
        self.target = target.isPlain ? target : nil
    }

    /// Reads what ``text`` wrote; `nil` for what somebody else has noted.
    package init?(_ text: String?) {
        guard let text, let note = try? JSONDecoder().decode(PublishNote.self, from: Data(text.utf8)) else {
            return nil
        }
        self = note
    }

    /// The note as it stands in the journal; `nil` where it cannot be written, and the publication is resumed by hand.
    package var text: String? {
        (try? JSONLine.bytes(self)).map { String(decoding: $0, as: UTF8.self) }
    }
}
