public import CalotypeCore
public import CalotypeHTTP
internal import FoundationEssentials

/// One attempt at an upload: what is known from before, and whom to tell.
public struct UploadSession: Sendable {
    /// What is told while an attempt runs.
    package enum News: Sendable {
        /// The server says that it has so many bytes; fewer than before means that it lost some.
        case acknowledged(ByteCount)
        /// So many bytes have left, of the request that is sent now, which began at an offset.
        case sent(ByteCount)
        /// All bytes are there, and the server works on them.
        case processing
    }

    /// Sends the requests.
    public let client: PublishClient
    /// A name for this upload that no other has, the same in all attempts and after a restart: letters, digits and hyphens.
    public let key: String
    /// What an earlier attempt remembered.
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

    /// Writes into the journal what the next attempt needs, such as the URL of the upload; returns when it is on the disk.
    ///
    /// Remember before the next request what the server told, and before the first what may be left there.
    public func remember(_ value: some Encodable) async throws {
        try await write(try RememberedState(value))
    }

    /// Tells how many bytes the server says that it has.
    public func acknowledge(_ count: ByteCount) {
        tell(.acknowledged(count))
    }

    /// Tells that all bytes are there and the server works on them.
    public func beginProcessing() {
        tell(.processing)
    }

    /// Counts the bytes of a request that carries those of the file from `offset` on.
    ///
    /// - Parameters:
    ///   - offset: Where in the file they begin.
    ///   - extra: How many bytes of the body come before the file's, such as the fields of a form.
    /// - Returns: What the request is given as its progress.
    public func progress(
        from offset: ByteCount = ByteCount(0),
        after extra: ByteCount = ByteCount(0)
    ) -> SendProgress {
        let tell = tell
        return SendProgress { sent in
            tell(.sent(ByteCount(offset.bytes + max(sent.bytes - extra.bytes, 0))))
        }
    }

    /// Waits, as between two questions whether the server is ready.
    public func sleep(for duration: Duration) async throws {
        try await pause(duration)
    }
}

/// What a destination wrote into the journal about an upload or a post: a value of its own, as JSON.
public struct RememberedState: Hashable, Sendable {
    /// The JSON; `nil` where nothing was remembered.
    package let json: String?

    /// Nothing.
    public static let none = RememberedState(json: nil)

    package init(json: String?) {
        self.json = json
    }

    /// Encodes a value.
    package init(_ value: some Encodable) throws {
        json = String(decoding: try JSONLine.bytes(value), as: UTF8.self)
    }

    /// The value; `nil` where nothing was remembered, or something of another shape, as by another version.
    public func value<Value: Decodable>(_ type: Value.Type) -> Value? {
        // Another shape is as good as nothing: the attempt starts anew.
        json.flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
    }
}
