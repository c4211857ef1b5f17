/// Stores values under keys for a while: a memory cache, a disk cache.
///
/// A store may forget anything at any time, so a value that was stored may be absent later. A synchronous
/// store satisfies the requirements with plain functions.
public protocol Storing<Key, Value>: Sendable {
    /// The type of the keys.
    associatedtype Key: Hashable & Sendable
    /// The type of the values.
    associatedtype Value: Sendable

    /// Looks up the value of `key`.
    ///
    /// - Returns: The value; `nil` if the store does not have it.
    /// - Throws: The store's own error; `CancellationError` if the task is cancelled while it waits.
    func value(for key: Key) async throws -> Value?

    /// Stores `value`, unless there is one for `key` already.
    ///
    /// - Returns: The value to continue with: the existing one, so that all callers share it; otherwise
    ///   `value`, even if the store refused it.
    /// - Throws: The store's own error; `CancellationError` if the task is cancelled while it waits.
    @discardableResult
    func store(_ value: Value, for key: Key) async throws -> Value

    /// Stores `value`, replacing the one for `key`.
    ///
    /// - Throws: The store's own error; `CancellationError` if the task is cancelled while it waits.
    func replaceValue(_ value: Value, for key: Key) async throws

    /// Removes the value of `key`, if there is one.
    ///
    /// - Throws: The store's own error; `CancellationError` if the task is cancelled while it waits.
    func removeValue(for key: Key) async throws

    /// Removes all values.
    ///
    /// - Throws: The store's own error; `CancellationError` if the task is cancelled while it waits.
    func removeAll() async throws
}

/// A persistent store: of renditions, of sources, or of both.
public protocol EntryStoring: Storing where Key == StoreKey, Value == StoredEntry {
    /// Whether it stores entries now; a store that does not is given none.
    var takesEntries: Bool { get }

    /// The number of entries it has stored permanently so far; `nil` for a store that does not count them.
    var storedCount: Int? { get }

    /// Waits until all earlier entries are stored permanently, or are known not to be.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled while it waits.
    func flush() async throws

    /// Stores an entry that a look-up has just not found; one that exists after all stays.
    ///
    /// - Throws: The store's own error; `CancellationError` if the task is cancelled while it waits.
    func insert(_ entry: StoredEntry, for key: StoreKey) async throws

    /// Replaces the metadata of the entry for `key`, if there is one, and leaves its bytes as they are.
    ///
    /// - Throws: The store's own error; `CancellationError` if the task is cancelled while it waits.
    func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) async throws

    /// Removes all entries of `group`.
    ///
    /// - Throws: The store's own error; `CancellationError` if the task is cancelled while it waits.
    func removeEntries(in group: StoreGroup) async throws

    /// Whether a look-up ends on its own within five seconds, whatever the disk does: then it needs no timer.
    var endsLookUps: Bool { get }
}

extension EntryStoring {
    /// True, unless a store says otherwise.
    public var takesEntries: Bool { true }

    /// `nil`: the entries are not counted.
    public var storedCount: Int? { nil }

    /// Returns immediately: an entry is stored when the call that stores it returns.
    public func flush() async throws {}

    /// False: a pipeline sets a timer for each look-up.
    public var endsLookUps: Bool { false }

    /// Removes all entries of all groups; a store that can find those of one group does better.
    public func removeEntries(in group: StoreGroup) async throws {
        try await removeAll()
    }

    /// Stores it with ``Storing/store(_:for:)``; a store that need not look it up again can do better.
    public func insert(_ entry: StoredEntry, for key: StoreKey) async throws {
        try await store(entry, for: key)
    }

    /// Writes the whole entry again; a store can do better.
    public func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) async throws {
        guard var entry = try await value(for: key) else { return }
        entry.metadata = metadata
        try await replaceValue(entry, for: key)
    }
}

/// The name of a stored picture: everything that identifies it, as one line of text.
///
/// The text is stable from run to run. It contains header values in the clear, so a persistent store writes a
/// digest of it.
public struct StoreKey: Hashable, Sendable {
    /// The line itself.
    public let text: String
    /// The source from which the entry is made; the entries of one source can be removed together.
    public let group: StoreGroup

    /// Creates a key from its text.
    public init(_ text: String, in group: StoreGroup = StoreGroup()) {
        self.text = text
        self.group = group
    }
}

/// The entries of one source, or of a whole partition.
public struct StoreGroup: Hashable, Sendable {
    /// The partition; `nil` is the one of requests that name none.
    public let partition: String?
    /// Identifies the source within the partition; `nil` for all of its sources.
    public let source: String?

    /// Creates a group.
    public init(partition: String? = nil, source: String? = nil) {
        self.partition = partition
        self.source = source
    }

    /// Whether `other` is the same group, or one source of this partition.
    public func contains(_ other: StoreGroup) -> Bool {
        partition == other.partition && (source == nil || source == other.source)
    }
}

/// An entry of a persistent store: bytes, and their metadata.
///
/// Both are opaque to the store, which returns them unchanged or not at all.
public struct StoredEntry: Hashable, Sendable {
    /// Facts about ``bytes``, a few hundred bytes.
    public var metadata: [UInt8]
    /// A picture or its source.
    public var bytes: [UInt8]

    /// Creates an entry.
    public init(metadata: [UInt8], bytes: [UInt8]) {
        self.metadata = metadata
        self.bytes = bytes
    }
}
