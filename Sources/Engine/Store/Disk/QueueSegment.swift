/// One of the two queues that hold the entries of a disk cache, the oldest first.
package enum QueueSegment: Int, CaseIterable, Sendable {
    /// Where new entries wait for a tenth of the cache's bytes to pass, to show whether they are asked for again.
    case small = 0
    /// Where those are that were.
    case main = 1
}
