internal import CalotypeCore
internal import CalotypeHTTP

extension MastodonServer {
    /// Returns what the server reports about itself, or `nil` if it reports nothing.
    func instance() async throws -> MastodonInstance? {
        for path in ["/api/v2/instance", "/api/v1/instance"] {
            let response = try await send(request(.get, path), to: "request the server's limits")
            if response.isSuccess {
                // Anything but the expected JSON counts as no response: the limits are unknown.
                if let instance = try? response.json(MastodonInstance.self) { return instance }
            } else if response.status >= 500, response.status != 501 {
                throw failure(response, to: "request the server's limits")
            }
        }
        return nil
    }

    /// Returns the ID of the account that the token belongs to.
    ///
    /// The result is `nil` if the token lacks the scope for this request.
    ///
    /// - Throws: `unauthorized` if the server does not accept the token.
    func account() async throws -> String? {
        let response = try await send(
            request(.get, "/api/v1/accounts/verify_credentials"),
            to: "request the account"
        )
        switch response.status {
        case 200..<300: return try account(response)
        // The token belongs to an application instead of an account; on snac2, also any invalid token.
        case 422: throw unauthorized(response)
        // A token may allow publishing but not reading. Other reasons, such as a locked account, are final.
        case 403 where reason(response)?.lowercased().contains("scope") == true: return nil
        default: throw failure(response, to: "request the account")
        }
    }

    private func account(_ response: PublishResponse) throws(PublishError) -> String {
        do {
            return try response.json(MastodonAccount.self).id.text
        } catch {
            let told = CalotypeError(
                .invalidDocument,
                "the server's response does not follow the Mastodon API; check the destination's URL",
                stage: .response,
                url: response.url.text,
                cause: error
            )
            throw PublishError(told, .none)
        }
    }
}

/// What a server reports about itself, in either version of that response.
///
/// Missing fields and fields of another type are unknown.
struct MastodonInstance: Decodable {
    /// The version of Mastodon, or the version that the server claims to be compatible with.
    let version: String?
    /// The limits for posts and media.
    let limits: MediaLimits

    private enum Key: String, CodingKey {
        case version, configuration, statuses, mediaAttachments = "media_attachments"
        case mostMedia = "max_media_attachments", mostCharacters = "max_characters"
        case linkCharacters = "characters_reserved_per_url", tootCharacters = "max_toot_chars"
        case types = "supported_mime_types", imageBytes = "image_size_limit", imagePixels =
            "image_matrix_limit"
        case videoBytes = "video_size_limit", altTextCharacters = "description_limit"
    }

    init(from decoder: any Decoder) throws {
        let instance = try decoder.container(keyedBy: Key.self)
        version = try? instance.decode(String.self, forKey: .version)
        let configuration = try? instance.nestedContainer(keyedBy: Key.self, forKey: .configuration)
        var limits = MediaLimits()
        if let media = try? configuration?.nestedContainer(keyedBy: Key.self, forKey: .mediaAttachments) {
            limits.types = Self.types(media)
            limits.imageBytes = Self.number(media, .imageBytes).map { ByteCount($0) }
            limits.imagePixels = Self.number(media, .imagePixels)
            limits.fileBytes = Self.number(media, .videoBytes).map { ByteCount($0) }
            limits.altTextCharacters = Self.number(media, .altTextCharacters)
        }
        if let statuses = try? configuration?.nestedContainer(keyedBy: Key.self, forKey: .statuses) {
            limits.count = Self.number(statuses, .mostMedia)
            limits.textCharacters = Self.number(statuses, .mostCharacters)
            limits.linkCharacters = Self.number(statuses, .linkCharacters)
        }
        // Where servers reported the limit before there was a configuration.
        limits.textCharacters = limits.textCharacters ?? Self.number(instance, .tootCharacters)
        limits.scheduleAhead = MastodonStatusRequest.scheduleAhead
        self.limits = limits
    }

    /// Whether the server is Mastodon or a fork of it: `4.4.1`, `4.5.0-alpha.2+glitch`.
    ///
    /// Other servers with the API append other words to the version that they are compatible with, or have
    /// low version numbers of their own.
    var isMastodon: Bool {
        guard let version, !version.contains(where: { $0 == " " || $0 == "(" }) else { return false }
        let numbers = version.prefix { $0.isNumber || $0 == "." }.split(separator: ".").compactMap { Int($0) }
        return numbers.count >= 3 && (2...99).contains(numbers[0])
    }

    /// Reads a number that is a limit, and therefore positive.
    private static func number(_ container: KeyedDecodingContainer<Key>, _ key: Key) -> Int? {
        (try? container.decode(Int.self, forKey: key)).flatMap { $0 > 0 ? $0 : nil }
    }

    private static func types(_ container: KeyedDecodingContainer<Key>) -> Set<String>? {
        guard let types = try? container.decode([String].self, forKey: .types), !types.isEmpty else {
            return nil
        }
        return Set(types.map { $0.lowercased() })
    }
}
