import CalotypeCodec
public import CalotypeCore
public import TaskFlow

extension ImagePipeline {
    /// Makes several renditions of one source from one download and one decode.
    ///
    /// What the memory cache has, or what is being made for others, is taken from there.
    ///
    /// - Parameters:
    ///   - source: where the bytes come from.
    ///   - specs: what to make of them.
    ///   - priority: how urgent it is.
    /// - Returns: the renditions in the order of `specs`.
    /// - Throws: `CalotypeError` of the first that fails; `CancellationError` when the task is cancelled.
    public func renditions(
        of source: ImageSource,
        as specs: [RenditionSpec],
        priority: WorkPriority = .normal
    ) async throws -> [Rendition] {
        try await renditions(for: ImageRequest(source, priority: priority), as: specs)
    }

    /// Makes several renditions for one request, whose own scaling and format are of no meaning, from one download and
    /// one decode.
    ///
    /// - Returns: the renditions in the order of `specs`.
    /// - Throws: `CalotypeError` of the first that fails; `CancellationError` when the task is cancelled.
    public func renditions(for request: ImageRequest, as specs: [RenditionSpec]) async throws -> [Rendition] {
        try await withoutCosts {
            try await perform(request) { request in
                let requests = specs.map { spec in
                    var single = request
                    (single.transform, single.output) = (spec.transform, spec.output)
                    return single
                }
                for single in requests { try single.validate() }
                return (try await togetherMade(requests, SourceKey(request)), .own)
            }
        }
    }

    private func togetherMade(_ requests: [ImageRequest], _ source: SourceKey) async throws -> [Rendition] {
        let keys = requests.map { RenditionKey($0, .encoded(RenditionSpec($0.transform, $0.output))) }
        let missing = keys.filter { pictures.isMissing($0) }.map(\.spec)
        return try await decodes.reserving(missing, of: source) { _ in
            try await withThrowingTaskGroup(of: (Int, Rendition).self) { group in
                for (index, (key, request)) in zip(keys, requests).enumerated() {
                    group.addTask {
                        let priority = LivePriority(request)
                        return (
                            index,
                            try await self.pictures.picture(key, request, priority: priority).rendition
                        )
                    }
                }
                var made: [Int: Rendition] = [:]
                for try await (index, rendition) in group { made[index] = rendition }
                return requests.indices.compactMap { made[$0] }
            }
        }
    }
}
