import Calotype
import TaskFlow

/// A way to load many photos.
struct Way: Sendable {
    let name: String
    var hearsCancellation = true
    let load: @Sendable ([String], PhotoLoader) async throws -> [Rendition]

    static let all = [
        Way(name: "one after another", load: oneAfterAnother),
        Way(name: "unstructured tasks", hearsCancellation: false, load: unstructuredTasks),
        Way(name: "the same, cancelled by hand", load: cancelledByHand),
        Way(name: "a group", load: group),
        Way(name: "a group that starts nothing more", load: groupUnlessCancelled),
        Way(name: "a stream", load: stream),
    ]

    /// Returns the outcome: the number of photos, or the error.
    func outcome(_ urls: [String], _ loader: PhotoLoader) async -> String {
        do {
            let photos = try await load(urls, loader)
            guard !photos.isEmpty else {
                throw CalotypeError(.emptyResult, "none of the photos could be loaded", stage: .request)
            }
            return "\(photos.count) photos"
        } catch let error as CalotypeError {
            return "\(error.code)"
        } catch {
            return error is CancellationError ? "cancelled" : "\(error)"
        }
    }

    /// Simple, but as slow as all photos together.
    private static func oneAfterAnother(_ urls: [String], _ loader: PhotoLoader) async throws -> [Rendition] {
        var photos: [Rendition] = []
        for url in urls {
            try Task.checkCancellation()
            if let photo = try await loader.photo(url) { photos.append(photo) }
        }
        return photos
    }

    /// Fast, but not cancellable: nothing tells these tasks that their caller was cancelled.
    private static func unstructuredTasks(_ urls: [String], _ loader: PhotoLoader) async throws -> [Rendition]
    {
        let tasks = urls.map { url in Task { try await loader.photo(url) } }
        var photos: [Rendition] = []
        for task in tasks {
            if let photo = try await task.value { photos.append(photo) }
        }
        return photos
    }

    /// Notices a cancellation at the next check, which may be a whole photo later, and needs all this code.
    private static func cancelledByHand(_ urls: [String], _ loader: PhotoLoader) async throws -> [Rendition] {
        try Task.checkCancellation()
        let tasks = urls.map { url in Task { try await loader.photo(url) } }
        var photos: [Rendition] = []
        do {
            for task in tasks {
                try Task.checkCancellation()
                if let photo = try await task.value { photos.append(photo) }
            }
            return photos
        } catch {
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
            throw error
        }
    }

    /// The group awaits its children, which are cancelled with their parent.
    private static func group(_ urls: [String], _ loader: PhotoLoader) async throws -> [Rendition] {
        try await withThrowingTaskGroup(of: Rendition?.self) { group in
            for url in urls {
                group.addTask { try await loader.photo(url) }
            }
            return try await group.compactMap { $0 }.reduce(into: []) { $0.append($1) }
        }
    }

    /// A group's children start even if it is already cancelled; these do not.
    private static func groupUnlessCancelled(
        _ urls: [String],
        _ loader: PhotoLoader
    ) async throws -> [Rendition] {
        try await withThrowingTaskGroup(of: Rendition?.self) { group in
            for url in urls {
                guard group.addTaskUnlessCancelled(operation: { try await loader.photo(url) }) else { break }
            }
            try Task.checkCancellation()
            return try await group.compactMap { $0 }.reduce(into: []) { $0.append($1) }
        }
    }

    /// Loads eight at a time and yields each photo as soon as it is loaded; a slow reader delays further
    /// loads.
    private static func stream(_ urls: [String], _ loader: PhotoLoader) async throws -> [Rendition] {
        try await withConcurrentResults(of: urls, limit: 8) { url in
            try await loader.photo(url)
        } body: { results in
            var photos: [Rendition] = []
            for try await result in results.failFast {
                if let photo = try result.result.get() { photos.append(photo) }
            }
            return photos
        }
    }
}
