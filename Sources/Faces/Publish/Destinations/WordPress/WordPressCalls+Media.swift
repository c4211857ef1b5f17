internal import CalotypeCore
internal import CalotypeHTTP

extension WordPressCalls {
    /// Returns the medium with this slug.
    func medium(named slug: String) async throws -> WordPressMedium? {
        let response = try await get("wp/v2/media?slug=\(slug)&context=edit&\(WordPressMedium.fields)")
        guard response.isSuccess else { throw response.wordPressFailure("look up the file") }
        return try response.json([WordPressMedium].self).first { $0.slug == slug }
    }

    /// Returns the medium of an upload, by its ID if that is known.
    func medium(_ record: WordPressUpload) async throws -> WordPressMedium? {
        guard let id = record.id else { return try await medium(named: record.slug) }
        let response = try await get("wp/v2/media/\(id)?context=edit&\(WordPressMedium.fields)")
        if response.status == 404 { return nil }
        guard response.isSuccess else { throw response.wordPressFailure("look up the file") }
        return try response.json(WordPressMedium.self)
    }

    /// Returns the medium of an upload that was abandoned, waiting for it if necessary.
    ///
    /// A site continues to process what it has received after the client has disconnected. Nobody knows how
    /// much a killed process had sent: what does not appear during the pauses was not sent in full.
    ///
    /// - Throws: `upload_lost`, to be retried, if all of it was sent and it may still appear.
    func arrived(_ record: WordPressUpload) async throws -> WordPressMedium? {
        if let medium = try await medium(named: record.slug) { return medium }
        let isSent = record.sentAt.map { Self.isRecent($0, client.time) } ?? false
        guard isSent || record.isSending == true else { return nil }
        for pause in Self.pauses {
            try await client.sleep(for: pause)
            if let medium = try await medium(named: record.slug) { return medium }
        }
        guard isSent else { return nil }
        let error = CalotypeError(
            .uploadLost,
            "the site does not yet show a file that was sent to it; try again in a minute",
            stage: .response,
            url: destination.site.text
        )
        throw PublishError(error, .retry)
    }

    // Their sum is below the ten seconds that a cancelled publication takes to clean up.
    private static let pauses: [Duration] = [
        .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4),
    ]

    private static func isRecent(_ moment: Int, _ now: WallTime) -> Bool {
        abs(now.secondsSince1970 - moment) < 60
    }

    /// Removes duplicates of the media with these slugs; the site appends a number to a duplicate's slug.
    ///
    /// An abandoned request can arrive long after the one that replaced it.
    func removeCopies(of slugs: [String]) async throws {
        let ours = slugs.filter(WordPressUpload.isSlug)
        for start in stride(from: 0, to: ours.count, by: 20) {
            let names = ours[start..<min(start + 20, ours.count)].flatMap { ["\($0)-2", "\($0)-3"] }
            let query =
                "slug=\(names.joined(separator: ","))&per_page=100&context=edit&\(WordPressMedium.fields)"
            let response = try await get("wp/v2/media?\(query)")
            guard response.isSuccess else { throw response.wordPressFailure("look for duplicates") }
            for copy in try response.json([WordPressMedium].self) where names.contains(copy.slug) {
                try await remove("media/\(copy.id)", "remove a duplicate")
            }
        }
    }

    /// Removes `item`, such as `media/12`, permanently; it is not an error if it does not exist.
    func remove(_ item: String, _ doing: String) async throws {
        let response = try await delete("wp/v2/\(item)?force=true")
        guard response.isSuccess || response.status == 404 || response.status == 410 else {
            throw response.wordPressFailure(doing)
        }
    }

    /// Creates the request for an upload, without the file.
    func mediumRequest(_ medium: PreparedMedium, slug: String) throws -> HTTPRequest {
        let name = WordPressFileName(medium)
        var request = try request(
            "wp/v2/media?slug=\(slug)&title=\(name.escapedTitle)&\(WordPressMedium.fields)",
            .post
        )
        try request.addHeader("Content-Type", medium.type.name)
        try request.addHeader("Content-Disposition", name.disposition)
        // The digest is hexadecimal, which differs from RFC 1864.
        if let md5 = medium.file.md5 { try request.addHeader("Content-MD5", md5) }
        return request
    }
}

/// A medium as the site reports it.
struct WordPressMedium: Decodable {
    /// The fields to request.
    static let fields = "_fields=id,slug,source_url,missing_image_sizes"

    let id: Int
    let slug: String
    let url: String
    /// The smaller images that the site has not created, because it was interrupted or cannot.
    let missingSizes: [String]?

    private enum CodingKeys: String, CodingKey {
        case id, slug
        case url = "source_url"
        case missingSizes = "missing_image_sizes"
    }

    var uploaded: UploadedMedium { UploadedMedium(id: "\(id)", url: url) }
}

/// A file name in the forms that WordPress needs.
struct WordPressFileName {
    /// The full name.
    let full: String
    /// The name in ASCII, with the same extension.
    ///
    /// WordPress detects the type from the extension, and refuses unknown ones.
    let ascii: String

    // WordPress appends up to about thirty bytes to the name, and file systems allow 255.
    private static let longest = 120

    init(_ medium: PreparedMedium) {
        full = medium.name
        let (stem, suffix) = Self.split(full)
        ascii =
            Self.plain(stem, otherwise: "file")
            + (suffix.isEmpty ? "" : "." + Self.plain(suffix, otherwise: "bin"))
    }

    /// The name without its extension, encoded as a value in a query.
    var escapedTitle: String { PercentEscapes.encoded(String(Self.split(full).stem)) }

    /// The value of `Content-Disposition` (RFC 6266).
    ///
    /// WordPress reads only the first form, cuts it at each semicolon, and supports no escapes. The ASCII
    /// name therefore contains neither.
    var disposition: String {
        "attachment; filename=\"\(ascii)\"; filename*=UTF-8''\(PercentEscapes.encoded(full))"
    }

    private static func split(_ name: String) -> (stem: Substring, suffix: Substring) {
        guard let dot = name.lastIndex(of: ".") else { return (name[...], "") }
        return (name[..<dot], name[name.index(after: dot)...])
    }

    /// Returns the ASCII letters, digits and underscores of `text`, with hyphens between the words.
    private static func plain(_ text: Substring, otherwise: String) -> String {
        let words = text.utf8.split { !isPlain($0) }
        let plain = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
        return plain.isEmpty ? otherwise : String(plain.prefix(longest))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
