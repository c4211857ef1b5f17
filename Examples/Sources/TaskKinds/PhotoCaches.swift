/// A cache with a common mistake: after the `await`, the result of the lookup is out of date.
actor ForgetfulCache {
    private var photos: [String: String] = [:]
    private(set) var loads = 0

    func photo(_ name: String, load: @Sendable () async throws -> String) async rethrows -> String {
        if let photo = photos[name] { return photo }
        loads += 1
        let photo = try await load()
        photos[name] = photo
        return photo
    }
}

/// A cache that also stores the work in progress, so that the second caller finds it.
actor SharingCache {
    private var photos: [String: Task<String, any Error>] = [:]
    private(set) var loads = 0

    func photo(_ name: String, load: @escaping @Sendable () async throws -> String) async throws -> String {
        if let photo = photos[name] { return try await photo.value }
        loads += 1
        // Owner: this cache. A cancelled caller leaves it running for the others; a Coalescer can end it with
        // the last of them.
        let task = Task { try await load() }
        photos[name] = task
        return try await task.value
    }
}
