/// A place for the complete shards of a dataset, such as a bucket.
public protocol ShardStoring: Sendable {
    /// The address of the dataset there.
    var address: String { get }

    /// Checks that files can be stored.
    ///
    /// - Throws: ``BulkError`` if they cannot; `CancellationError`.
    func check() async throws

    /// Stores the file at `path` as `name`, complete or not at all, and never in the place of another file.
    ///
    /// If the same bytes are there already, it succeeds.
    ///
    /// - Throws: ``BulkError`` if another file of that name is there; any other error if the file cannot be
    ///   stored; `CancellationError`.
    func store(_ path: String, as name: String) async throws
}
