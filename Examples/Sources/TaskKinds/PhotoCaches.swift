/// An actor as a cache, with the mistake that everybody makes once: after the `await`, what was looked up is old.
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

/// The same with the work under way in the table, so that the second caller finds it there.
actor SharingCache {
    private var photos: [String: Task<String, any Error>] = [:]
    private(set) var loads = 0

    func photo(_ name: String, load: @escaping @Sendable () async throws -> String) async throws -> String {
        if let photo = photos[name] { return try await photo.value }
        loads += 1
        // Owner: this cache. A caller that is cancelled leaves it running for the others; a Coalescer knows how to
        // end it with the last of them.
        let task = Task { try await load() }
        photos[name] = task
        return try await task.value
    }
}
