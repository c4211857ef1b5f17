public import CalotypeCore

/// The outcome of a request to remove something from a server.
public enum Discarded: Hashable, Sendable {
    /// The server no longer has it, as far as its responses show.
    case removed
    /// The server has no way to remove it.
    case kept
}

/// A server that accepts posts: how media, and then the post, reach it.
///
/// The publisher calls each of these methods again after a temporary failure, in this run or in a later one,
/// and passes the state that was stored until then. A destination therefore never retries, never waits for a
/// rate limit, and holds no state that an attempt needs. It makes one attempt, which continues from the point
/// that the server reports.
public protocol PublishDestination: Sendable {
    /// The name in the journal and in messages: the kind and the URL, without credentials.
    ///
    /// An example is `tus+https://example.org/files/`.
    var name: String { get }
    /// A canonical name that distinguishes the destination from others, however its URL is spelled.
    ///
    /// The journal uses it to find earlier publications of the same post.
    var identity: String { get }
    /// How many media to send concurrently if the caller does not specify it.
    var width: Int { get }
    /// Whether the destination needs the MD5 of files.
    var needsMD5: Bool { get }

    /// Whether ``discard(_:_:_:)`` itself waits for the effects of requests that were cut off.
    ///
    /// If so, one call is enough.
    var awaitsCutUploads: Bool { get }

    /// Requests the server's limits.
    ///
    /// The publisher calls this method once for each publication, before anything else, so that wrong
    /// credentials are found early.
    ///
    /// - Throws: `PublishError`; what the transport throws; `CancellationError`.
    func limits(_ client: PublishClient) async throws -> MediaLimits

    /// Uploads one medium, and waits until the server can use it.
    ///
    /// - Parameters:
    ///   - medium: The file. If it changes while it is being sent, the attempt is void.
    ///   - session: The state that earlier attempts stored, and the receiver of progress.
    /// - Returns: The value by which the post refers to the medium.
    /// - Throws: `PublishError` with the remedy; what the transport throws; `CancellationError`.
    func upload(_ medium: PreparedMedium, _ session: UploadSession) async throws -> UploadedMedium

    /// Publishes the post, or finds that it is already published.
    ///
    /// If ``PostSession/mayHaveBeenSent`` is true, the request of an earlier attempt may have arrived. The
    /// attempt then first finds out, or repeats the request with the same key if the server supports keys.
    ///
    /// - Throws: `PublishError` with the remedy, which is ``PublishError/Remedy/settle`` if the attempt
    ///   cannot tell whether the post is published; what the transport throws, which means the same once the
    ///   request may have been sent; `CancellationError`.
    func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost

    /// Removes from the server what an upload left there.
    ///
    /// The method must respond to cancellation, because the publisher waits for it. If there is nothing left
    /// to remove, or the server cannot remove it, that is not an error. After an upload that was cut off, the
    /// publisher calls the method twice, with a pause between: a server may store the uploaded data only
    /// after the first request to remove it.
    ///
    /// - Parameters:
    ///   - state: The state that ``upload(_:_:)`` stored, if any.
    ///   - uploaded: The value that it returned, if any.
    ///   - client: Sends the requests.
    /// - Returns: Whether the data is gone.
    /// - Throws: `PublishError`; what the transport throws; `CancellationError`.
    @discardableResult
    func discard(
        _ state: RememberedState,
        _ uploaded: UploadedMedium?,
        _ client: PublishClient
    ) async throws -> Discarded

    /// Removes what ``publish(_:_:)`` left on the server without publishing, such as a draft.
    ///
    /// - Parameters:
    ///   - state: The state that it stored.
    ///   - client: Sends the requests.
    /// - Throws: The errors that ``discard(_:_:_:)`` throws.
    func discardDraft(_ state: RememberedState, _ client: PublishClient) async throws
}

extension PublishDestination {
    /// The name in a canonical form.
    public var identity: String { DestinationIdentity.of(name) }

    /// `false` by default.
    public var needsMD5: Bool { false }

    /// `false` by default.
    public var awaitsCutUploads: Bool { false }

    /// Three by default.
    public var width: Int { 3 }

    /// Does nothing: most servers have no drafts.
    public func discardDraft(_ state: RememberedState, _ client: PublishClient) async throws {}
}

/// A server's limits for posts and media; a limit that the server did not report is `nil`.
public struct MediaLimits: Hashable, Sendable {
    /// The maximum number of media in a post.
    public var count: Int?
    /// The accepted media types, such as `image/jpeg`.
    public var types: Set<String>?
    /// The maximum number of bytes of an image; larger images are reduced before they are sent.
    public var imageBytes: ByteCount?
    /// The maximum number of pixels of an image; larger images are reduced before they are sent.
    public var imagePixels: Int?
    /// The maximum number of bytes of any other file.
    public var fileBytes: ByteCount?
    /// The maximum number of characters of the text and its content warning.
    public var textCharacters: Int?
    /// The number of characters that any link counts as; `nil` if its own length counts.
    public var linkCharacters: Int?
    /// The maximum number of characters of an alt text.
    public var altTextCharacters: Int?
    /// Whether the server supports content warnings.
    public var supportsContentWarnings = true
    /// Whether the server uses the ``Media/focus`` of an image; otherwise it is left out.
    public var supportsFocus = true
    /// The supported visibilities, if the server does not support all of them.
    public var visibilities: Set<Post.Visibility>?
    /// The minimum time from now until a scheduled post is shown.
    public var scheduleAhead: Duration?

    /// Creates a value without limits.
    public init() {}

    /// Returns the minimum number of ``textCharacters`` that a text counts as: the server may count more.
    ///
    /// If links have a fixed length, the host of a name such as `@ada@example.org` is not counted either.
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
