/// Keeps the two queues of a disk cache in the order of insertion: rows of a database, an array in a test.
package protocol EntryQueueing {
    /// What goes wrong there; `Never` for an array.
    associatedtype Failure: Error

    /// The bytes of all entries in `segment`; answers at once.
    func bytes(in segment: QueueSegment) -> Int

    /// The entry at the front of `segment`; `nil` when it is empty.
    mutating func oldest(in segment: QueueSegment) throws(Failure) -> QueuedEntry?

    /// Takes `entry` out of the segment it is in and puts it at the end of the main one.
    mutating func moveToEndOfMain(_ entry: QueuedEntry) throws(Failure)

    /// Removes `entry` and its value.
    mutating func remove(_ entry: QueuedEntry) throws(Failure)
}
