public import CalotypeCore
public import CalotypeHTTP
internal import FoundationEssentials

/// One attempt at an upload: the state from earlier attempts, and the receiver of progress.
public struct UploadSession: Sendable {
    /// An event that an attempt reports.
    package enum News: Sendable {
        /// The server says that it has this many bytes; fewer than before means that it lost some.
        case acknowledged(ByteCount)
        /// The number of bytes sent so far, counted from the start of the file.
        case sent(ByteCount)
        /// The server has all bytes, and processes them.
        case processing
    }

    /// Sends the requests.
    public let client: PublishClient
    /// A unique name for this upload, which stays the same in all attempts and after a restart.
    ///
    /// It consists of letters, digits and hyphens.
    public let key: String
    /// The state that an earlier attempt stored.
    public let state: RememberedState
    private let write: @Sendable (RememberedState) async throws -> Void
    private let tell: @Sendable (News) -> Void
    private let pause: @Sendable (Duration) async throws -> Void

    /// Creates a session.
    package init(
        client: PublishClient,
        key: String,
        state: RememberedState = .none,
        remember write: @escaping @Sendable (RememberedState) async throws -> Void,
        tell: @escaping @Sendable (News) -> Void,
        pause: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.client = client
        self.key = key
        self.state = state
        self.write = write
        self.tell = tell
        self.pause = pause
    }

    /// Writes the state for the next attempt to the journal, such as the upload's URL.
    ///
    /// The method returns when the state is on the disk. Store what a response reports before you send the
    /// next request, and store before the first request what it may leave on the server.
    public func remember(_ value: some Encodable) async throws {
        try await write(try RememberedState(value))
    }

    /// Reports how many bytes the server says it has.
    public func acknowledge(_ count: ByteCount) {
        tell(.acknowledged(count))
    }

    /// Reports that the server has all bytes and processes them.
    public func beginProcessing() {
        tell(.processing)
    }

    /// Returns a progress counter for a request that carries the file's bytes from `offset` on.
    ///
    /// - Parameters:
    ///   - offset: The position in the file of the first byte.
    ///   - extra: The number of bytes in the body before those of the file, such as the fields of a form.
    /// - Returns: The progress counter for the request.
    public func progress(
        from offset: ByteCount = ByteCount(0),
        after extra: ByteCount = ByteCount(0)
    ) -> SendProgress {
        let tell = tell
        return SendProgress { sent in
            tell(.sent(ByteCount(offset.bytes + max(sent.bytes - extra.bytes, 0))))
        }
    }

    /// Waits, for example between two polls of the server.
    public func sleep(for duration: Duration) async throws {
        try await pause(duration)
    }
}

/// The state that a destination stored in the journal for an upload or a post, as JSON of its own.
public struct RememberedState: Hashable, Sendable {
    /// The JSON; `nil` if nothing was stored.
    package let json: String?

    /// No stored state.
    public static let none = RememberedState(json: nil)

    package init(json: String?) {
        self.json = json
    }

    /// Encodes a value.
    package init(_ value: some Encodable) throws {
        json = String(decoding: try JSONLine.bytes(value), as: UTF8.self)
    }

    /// Returns the value.
    ///
    /// The result is `nil` if nothing was stored, or if the stored value has another structure, such as that
    /// of another version.
    public func value<Value: Decodable>(_ type: Value.Type) -> Value? {
        // Another structure counts as nothing: the attempt starts from the beginning.
        json.flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
    }
}
