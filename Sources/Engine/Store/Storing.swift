/// Keeps values under keys, for a while: a memory cache, a disk cache.
///
/// A store may forget anything at any time, so a value that was stored may be absent later. One that answers at once
/// satisfies the requirements with plain functions.
public protocol Storing<Key, Value>: Sendable {
    /// What values are found by.
    associatedtype Key: Hashable & Sendable
    /// What is kept.
    associatedtype Value: Sendable

    /// Looks up the value of `key`.
    ///
    /// - Returns: The value; `nil` when the store does not have it.
    /// - Throws: The store's own error; `CancellationError` when the task is cancelled while it waits.
    func value(for key: Key) async throws -> Value?

    /// Stores `value`, unless there is one for `key` already, which then stays.
    ///
    /// - Returns: The value to go on with: the one that was there first, so that all callers share it; otherwise
    ///   `value`, even where the store refused to keep it.
    /// - Throws: The store's own error; `CancellationError` when the task is cancelled while it waits.
    @discardableResult
    func store(_ value: Value, for key: Key) async throws -> Value

    /// Stores `value` in the place of the one for `key`, if there is one.
    ///
    /// - Throws: The store's own error; `CancellationError` when the task is cancelled while it waits.
    func replaceValue(_ value: Value, for key: Key) async throws

    /// Forgets the value of `key`, if there is one.
    ///
    /// - Throws: The store's own error; `CancellationError` when the task is cancelled while it waits.
    func removeValue(for key: Key) async throws

    /// Forgets all values.
    ///
    /// - Throws: The store's own error; `CancellationError` when the task is cancelled while it waits.
    func removeAll() async throws
}

/// A store that lasts: of renditions, of sources, of both.
public protocol EntryStoring: Storing where Key == StoreKey, Value == StoredEntry {
    /// Whether it keeps what it is given now; a store that does not is given nothing.
    var takesEntries: Bool { get }

    /// How many entries it has taken for good so far; `nil` for a store that does not count them.
    var storedCount: Int? { get }

    /// Waits until what it was given before is kept for good, or is known not to be.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled while it waits.
    func flush() async throws

    /// Stores an entry that a look-up did not find a moment ago; one that is there after all stays.
    ///
    /// - Throws: The store's own error; `CancellationError` when the task is cancelled while it waits.
    func insert(_ entry: StoredEntry, for key: StoreKey) async throws

    /// Replaces the metadata of the entry for `key`, if there is one, and leaves its bytes as they are.
    ///
    /// - Throws: The store's own error; `CancellationError` when the task is cancelled while it waits.
    func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) async throws

    /// Whether a look-up ends by itself within five seconds, whatever the disk does: then no timer is set for it.
    var endsLookUps: Bool { get }
}

extension EntryStoring {
    /// Always, unless a store says otherwise.
    public var takesEntries: Bool { true }

    /// Not counted.
    public var storedCount: Int? { nil }

    /// Returns at once: what a store was given is kept when the call that gives it returns.
    public func flush() async throws {}

    /// No: a pipeline sets a timer for each look-up.
    public var endsLookUps: Bool { false }

    /// Stores it as ``Storing/store(_:for:)`` does; a store that need not look it up again does better.
    public func insert(_ entry: StoredEntry, for key: StoreKey) async throws {
        try await store(entry, for: key)
    }

    /// Writes the whole entry again; a store that can do better does.
    public func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) async throws {
        guard var entry = try await value(for: key) else { return }
        entry.metadata = metadata
        try await replaceValue(entry, for: key)
    }
}

/// The name of a stored picture: everything that tells it from others, as one line of text.
///
/// The text is stable from run to run. It holds header values in the clear, so a store that lasts writes a digest of it.
public struct StoreKey: Hashable, Sendable {
    /// The line itself.
    public let text: String

    /// Creates a key from its text.
    public init(_ text: String) {
        self.text = text
    }
}

/// What a lasting store keeps under one key: bytes, and what is to be known about them.
///
/// Both are opaque to the store, which gives them back as they were or not at all.
public struct StoredEntry: Hashable, Sendable {
    /// What is to be known about ``bytes``, a few hundred bytes.
    public var metadata: [UInt8]
    /// A picture or its source.
    public var bytes: [UInt8]

    /// Creates an entry.
    public init(metadata: [UInt8], bytes: [UInt8]) {
        self.metadata = metadata
        self.bytes = bytes
    }
}
