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

    /// Replaces the metadata of the entry for `key`, if there is one, and leaves its bytes as they are.
    ///
    /// - Throws: The store's own error; `CancellationError` when the task is cancelled while it waits.
    func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) async throws

    /// Looks up the entry of `key` for a caller that waits without a task.
    ///
    /// The answer is prompt: where the disk hangs, it is that there is none.
    ///
    /// - Parameters:
    ///   - key: The entry's key.
    ///   - isWanted: Asked when it is the look-up's turn; where nobody wants the entry any more it is not looked up.
    ///   - answer: Called once, within five seconds, on any thread; it should return soon.
    /// - Returns: Whether `answer` is called; where it is not, ``Storing/value(for:)`` is to be asked.
    func lookUp(
        _ key: StoreKey,
        ifWanted isWanted: @escaping @Sendable () -> Bool,
        _ answer: @escaping @Sendable (StoredEntry?) -> Void
    ) -> Bool
}

extension EntryStoring {
    /// Always, unless a store says otherwise.
    public var takesEntries: Bool { true }

    /// Not counted.
    public var storedCount: Int? { nil }

    /// Returns at once: what a store was given is kept when the call that gives it returns.
    public func flush() async throws {}

    /// Answers those only who wait in a task.
    public func lookUp(
        _ key: StoreKey,
        ifWanted isWanted: @escaping @Sendable () -> Bool,
        _ answer: @escaping @Sendable (StoredEntry?) -> Void
    ) -> Bool {
        false
    }

    /// Writes the whole entry anew; a store that can do better does.
    public func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) async throws {
        guard var entry = try await value(for: key) else { return }
        entry.metadata = metadata
        try await replaceValue(entry, for: key)
    }
}
