public import Calotype
public import CalotypeCore

/// Makes renditions: the one thing that a list job wants from the pipeline below it.
public protocol RenditionLoading: Sendable {
    /// Loads, decodes and encodes what `request` asks for.
    ///
    /// - Throws: `LoadError` or `CalotypeError`; `CancellationError` soon after the task is cancelled.
    func load(_ request: ImageRequest) async throws -> Rendition

    /// Makes what `specs` say of the source of `request`, whose own scaling and format are of no meaning.
    ///
    /// - Returns: for each of `specs`, in their order, its rendition or why there is none.
    /// - Throws: `LoadError` or `CalotypeError` where there is none at all; `CancellationError` soon after the task is
    ///   cancelled.
    func load(
        _ request: ImageRequest,
        as specs: [RenditionSpec]
    ) async throws -> [Result<Rendition, LoadError>]

    /// How many entries a lasting store has taken so far; zero without one.
    var storedCount: Int { get }

    /// How many bytes of sources have come over the network so far.
    var receivedBytes: ByteCount { get }

    /// Waits until a lasting store has taken or refused what it was given, for a few seconds at most.
    func flushStore() async
}

extension RenditionLoading {
    /// Makes one after the other, each by a load of its own.
    public func load(
        _ request: ImageRequest,
        as specs: [RenditionSpec]
    ) async throws -> [Result<Rendition, LoadError>] {
        var results: [Result<Rendition, LoadError>] = []
        for spec in specs {
            var single = request
            (single.transform, single.output) = (spec.transform, spec.output)
            do {
                results.append(.success(try await load(single)))
            } catch let failure as LoadError {
                results.append(.failure(failure))
            } catch let error as CalotypeError {
                results.append(.failure(LoadError(error)))
            }
        }
        if !results.contains(where: { (try? $0.get()) != nil }), let first = results.first {
            _ = try first.get()
        }
        return results
    }

    /// Stores nothing.
    public var storedCount: Int { 0 }

    /// Receives nothing.
    public var receivedBytes: ByteCount { ByteCount(0) }

    /// Has nothing to wait for.
    public func flushStore() async {}
}

extension ImagePipeline: RenditionLoading {}
