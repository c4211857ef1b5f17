import CalotypeCodec
public import CalotypeCore
public import TaskFlow

extension ImagePipeline {
    /// Creates several renditions of one source with one download and one decode.
    ///
    /// Renditions that are cached, or that other callers are creating, are shared. The others are created
    /// together.
    ///
    /// - Parameters:
    ///   - source: the source of the bytes.
    ///   - specs: the renditions to create.
    ///   - priority: the priority of the load.
    /// - Returns: the renditions in the order of `specs`.
    /// - Throws: `CalotypeError` of the first spec that fails; `CancellationError` if the task is cancelled.
    public func renditions(
        of source: ImageSource,
        as specs: [RenditionSpec],
        priority: WorkPriority = .normal
    ) async throws -> [Rendition] {
        try await renditions(for: ImageRequest(source, priority: priority), as: specs)
    }

    /// Creates several renditions for one request with one download and one decode.
    ///
    /// The request's own scaling and format are ignored.
    ///
    /// - Returns: the renditions in the order of `specs`.
    /// - Throws: `CalotypeError` of the first spec that fails; `CancellationError` if the task is cancelled.
    public func renditions(for request: ImageRequest, as specs: [RenditionSpec]) async throws -> [Rendition] {
        try await load(request, as: specs).map { try $0.get() }
    }

    /// Creates several renditions for one request, and returns a result for each of `specs`.
    ///
    /// One download and one decode serve them all. The request's own scaling and format are ignored. A spec
    /// fails without affecting the others, and each failure includes the cost of the load.
    ///
    /// - Returns: the results in the order of `specs`; at least one is a rendition.
    /// - Throws: `CalotypeError` of the first spec if all fail, as when the source is unavailable;
    ///   `CancellationError` if the task is cancelled.
    public func load(
        _ request: ImageRequest,
        as specs: [RenditionSpec]
    ) async throws -> [Result<Rendition, CalotypeError>] {
        if let only = specs.first, specs.count == 1 {
            return [.success(try await load(request.with(only)))]
        }
        let start = clock.now
        return try await perform(request) { prepared in
            let requests = specs.map { prepared.with($0) }
            let results = try await together(requests, SourceKey(prepared))
            let renditions = results.map { result in
                result.map { $0.timed(clock.now - start).rendition }
                    .mapError { $0.at(request.source.displayName).timed(clock.now - start) }
            }
            let made = results.compactMap { try? $0.get() }
            if made.isEmpty, let first = renditions.first { _ = try first.get() }
            return (renditions, LoadResult(.farthest(of: made.map(\.provenance.origin)), made))
        }
    }

    /// Loads the pictures for the requests of one source.
    ///
    /// The missing ones share one decode.
    private func together(
        _ requests: [ImageRequest],
        _ source: SourceKey
    ) async throws -> [Result<Picture, CalotypeError>] {
        var queries = requests.map { PictureQuery($0) }
        let missing = queries.indices.filter {
            requests[$0].isValid && pictures.isMissing(&queries[$0])
        }
        return try await decodes.reserving(missing.map { queries[$0].key.spec }, of: source) {
            [queries] places in
            let places = Dictionary(uniqueKeysWithValues: zip(missing, places))
            return try await withThrowingTaskGroup { group in
                for (index, query) in queries.enumerated() {
                    group.addTask {
                        // A picture found in a store needs no decode.
                        defer { places[index].map(self.decodes.release) }
                        return (index, try await self.result(query))
                    }
                }
                var results: [Int: Result<Picture, CalotypeError>] = [:]
                for try await (index, result) in group { results[index] = result }
                return requests.indices.compactMap { results[$0] }
            }
        }
    }

    private func result(_ query: PictureQuery) async throws -> Result<Picture, CalotypeError> {
        do {
            try query.request.validate()
            return .success(try await pictures.picture(query, priority: LivePriority(query.request)))
        } catch let error as CalotypeError {
            return .failure(error)
        }
    }
}

extension ImageRequest {
    /// Returns a request for another rendition of this source.
    fileprivate func with(_ spec: RenditionSpec) -> ImageRequest {
        var request = self
        (request.transform, request.output) = (spec.transform, spec.output)
        return request
    }

    fileprivate var isValid: Bool { (try? validate()) != nil }
}

extension PipelineEvent.Origin {
    /// Returns the one of `origins` that took the most work.
    ///
    /// Without any, the result was in memory.
    fileprivate static func farthest(of origins: [PipelineEvent.Origin]) -> PipelineEvent.Origin {
        let order: [PipelineEvent.Origin] = [.own, .shared, .revalidated, .store]
        return order.first(where: origins.contains) ?? .memory
    }
}
