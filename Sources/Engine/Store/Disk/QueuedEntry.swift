/// An entry of a disk cache as far as eviction needs to know it.
package struct QueuedEntry: Hashable, Sendable {
    /// What the storage finds it by, such as a row's number.
    package let id: Int64
    /// The first eight bytes of its key's digest.
    package let key: UInt64
    /// What it takes.
    package let bytes: Int

    /// Describes an entry of `bytes` bytes.
    package init(id: Int64, key: UInt64, bytes: Int) {
        (self.id, self.key, self.bytes) = (id, key, bytes)
    }
}
