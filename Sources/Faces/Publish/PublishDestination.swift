public import CalotypeCore

/// What became of something that a server was asked to remove.
public enum Discarded: Hashable, Sendable {
    /// It is not there, as far as the server tells.
    case removed
    /// The server has no way to remove it.
    case kept
}

/// A server that posts are published to: how a medium, and then a post, get there.
///
/// The publisher calls each of these again after a failure that may pass, in this run or in a later one, and tells what was
/// remembered until then. A destination therefore never retries, never waits for a rate limit and keeps no state that an attempt needs; it
/// makes one attempt, from where the server says that the last one came to.
public protocol PublishDestination: Sendable {
    /// The name in the journal and in messages: the kind and the URL, without credentials, such as
    /// `tus+https://example.org/files/`.
    var name: String { get }
    /// What tells it from other destinations, however its URL is spelled: by it the journal knows that a post went there before.
    var identity: String { get }
    /// How many media are sent at a time, where the caller does not say.
    var width: Int { get }
    /// Whether it wants the MD5 of files.
    var needsMD5: Bool { get }

    /// Whether ``discard(_:_:_:)`` itself waits for what a request may still bring that was cut, so that one call is enough.
    var awaitsCutUploads: Bool { get }

    /// Asks what the server takes.
    ///
    /// It is asked once for each publication, before anything else, and so finds out wrong credentials early.
    ///
    /// - Throws: `PublishError`; what the transport throws; `CancellationError`.
    func limits(_ client: PublishClient) async throws -> MediaLimits

    /// Brings one medium to the server, and waits until the server can use it.
    ///
    /// - Parameters:
    ///   - medium: The file; it does not change while it is sent, or the attempt is void.
    ///   - session: What earlier attempts remembered, and whom to tell.
    /// - Returns: What the post names it by.
    /// - Throws: `PublishError` with the remedy; what the transport throws; `CancellationError`.
    func upload(_ medium: PreparedMedium, _ session: UploadSession) async throws -> UploadedMedium

    /// Publishes the post, or finds that it is published already.
    ///
    /// Where ``PostSession/mayHaveBeenSent`` tells that the request of an earlier attempt may have arrived, the
    /// attempt first finds out, or repeats it with the same key at a server that knows keys.
    ///
    /// - Throws: `PublishError` with the remedy, ``PublishError/Remedy/settle`` where it cannot know whether the post
    ///   is published; what the transport throws, which means the same once the request may have left; `CancellationError`.
    func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost

    /// Removes from the server what an upload left there.
    ///
    /// It heeds a cancellation: the publisher waits for it. What is there no more is no error; nor is a server that has no way to
    /// remove it. After an upload that was cut it is called twice, with a pause between: a server may store what it was sent only
    /// after it was asked to remove it.
    ///
    /// - Parameters:
    ///   - state: What ``upload(_:_:)`` remembered, if it came so far.
    ///   - uploaded: What it returned, if it came so far.
    ///   - client: Sends the requests.
    /// - Returns: Whether it is gone.
    /// - Throws: `PublishError`; what the transport throws; `CancellationError`.
    @discardableResult
    func discard(
        _ state: RememberedState,
        _ uploaded: UploadedMedium?,
        _ client: PublishClient
    ) async throws -> Discarded

    /// Removes from the server what ``publish(_:_:)`` left there without having published, such as a draft.
    ///
    /// - Parameters:
    ///   - state: What it remembered.
    ///   - client: Sends the requests.
    /// - Throws: As ``discard(_:_:_:)``.
    func discardDraft(_ state: RememberedState, _ client: PublishClient) async throws
}

extension PublishDestination {
    /// The name in a canonical form.
    public var identity: String { DestinationIdentity.of(name) }

    /// It does not.
    public var needsMD5: Bool { false }

    /// It does not.
    public var awaitsCutUploads: Bool { false }

    /// Three.
    public var width: Int { 3 }

    /// Does nothing: most servers have no drafts.
    public func discardDraft(_ state: RememberedState, _ client: PublishClient) async throws {}
}

/// What a server takes; a limit that it did not tell is `nil`.
public struct MediaLimits: Hashable, Sendable {
    /// The most media of one post.
    public var count: Int?
    /// The media types that are taken, such as `image/jpeg`.
    public var types: Set<String>?
    /// The most bytes of a picture; larger ones are made smaller before they are sent.
    public var imageBytes: ByteCount?
    /// The most pixels of a picture; larger ones are made smaller before they are sent.
    public var imagePixels: Int?
    /// The most bytes of anything else.
    public var fileBytes: ByteCount?
    /// The most characters of the text.
    public var textCharacters: Int?
    /// What a link counts as, however long it is; its own length where `nil`.
    public var linkCharacters: Int?
    /// The most characters of an alt text.
    public var altTextCharacters: Int?
    /// Who may be the ones to see a post, where the server does not know all of them.
    public var visibilities: Set<Post.Visibility>?
    /// The least time from now to the moment when a post is to be shown.
    public var scheduleAhead: Duration?

    /// Creates limits that limit nothing.
    public init() {}

    /// How many of ``textCharacters`` a text takes, at least: the server may count more.
    ///
    /// Where links have a length of their own, the host of a name such as `@ada@example.org` is not counted either.
    package func characterCount(of text: String) -> Int {
        guard let linkCharacters else { return text.count }
        return text.split(omittingEmptySubsequences: false, whereSeparator: \.isWhitespace)
            .reduce(-1) { $0 + 1 + Self.characterCount(of: $1, link: linkCharacters) }
    }

    private static func characterCount(of word: Substring, link: Int) -> Int {
        for scheme in ["https://", "http://"] {
            if let range = word.firstRange(of: scheme) { return word[..<range.lowerBound].count + link }
        }
        let parts = word.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0].isEmpty ? 1 + parts[1].count : word.count
    }
}
