public import Calotype
public import CalotypeCore

/// The part of the pipeline that a list job needs: it creates renditions.
public protocol RenditionLoading: Sendable {
    /// Loads, decodes and encodes the image of `request`.
    ///
    /// - Throws: `CalotypeError`; `CancellationError` soon after the task is cancelled.
    func load(_ request: ImageRequest) async throws -> Rendition

    /// Creates a rendition of the source of `request` for each of `specs`; ignores the request's own
    /// transform and format.
    ///
    /// - Returns: For each of `specs`, in order, its rendition or error.
    /// - Throws: `CalotypeError` if there is no rendition at all; `CancellationError` soon
    ///   after the task is cancelled.
    func load(
        _ request: ImageRequest,
        as specs: [RenditionSpec]
    ) async throws -> [Result<Rendition, CalotypeError>]

    /// Number of entries that a persistent store has accepted so far; 0 without a store.
    var storedCount: Int { get }

    /// Number of source bytes received from the network so far.
    var receivedBytes: ByteCount { get }

    /// Waits, for at most a few seconds, until a persistent store has accepted or rejected pending entries.
    func flushStore() async
}

extension RenditionLoading {
    /// Creates renditions one after the other, each with its own load.
    public func load(
        _ request: ImageRequest,
        as specs: [RenditionSpec]
    ) async throws -> [Result<Rendition, CalotypeError>] {
        var results: [Result<Rendition, CalotypeError>] = []
        for spec in specs {
            var single = request
            (single.transform, single.output) = (spec.transform, spec.output)
            do {
                results.append(.success(try await load(single)))
            } catch let error as CalotypeError {
                results.append(.failure(error))
            }
        }
        if !results.contains(where: { (try? $0.get()) != nil }), let first = results.first {
            _ = try first.get()
        }
        return results
    }

    /// Returns 0, because there is no store.
    public var storedCount: Int { 0 }

    /// Returns 0, because nothing is received.
    public var receivedBytes: ByteCount { ByteCount(0) }

    /// Returns immediately.
    public func flushStore() async {}
}

extension ImagePipeline: RenditionLoading {}
