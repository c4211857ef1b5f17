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
