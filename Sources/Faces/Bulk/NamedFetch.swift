package import CalotypeCore
internal import TaskFlow

/// Loads several images unchanged into a folder, under names that the caller chooses.
///
/// ``FetchJob`` is for lists of any length and names files by position; this is for the images of one
/// response.
package struct NamedFetch: Sendable {
    /// An image and the name of its file, without the extension.
    package struct Entry: Hashable, Sendable {
        package let name: String
        package let url: String

        package init(name: String, url: String) {
            self.name = name
            self.url = url
        }
    }

    /// The outcome of one image: the file's name, or an error.
    package struct Outcome: Sendable {
        package let entry: Entry
        package let result: Result<String, CalotypeError>
    }

    private let entries: [Entry]
    private let path: String
    private let cachePolicy: CachePolicy
    private let loader: any RenditionLoading

    /// Creates a job; nothing happens before ``run(onOutcome:)``.
    package init(
        _ entries: [Entry],
        into folder: String,
        cachePolicy: CachePolicy = .use,
        loader: any RenditionLoading
    ) {
        self.entries = entries
        path = folder
        self.cachePolicy = cachePolicy
        self.loader = loader
    }

    /// Loads all images, or stops when the disk is full; each file appears when it is complete and replaces
    /// an older one.
    ///
    /// - Parameter onOutcome: Receives each outcome, one call at a time.
    /// - Returns: The number of failures.
    /// - Throws: ``BulkError`` if the folder cannot be used, before anything is loaded;
    ///   `CancellationError`.
    package func run(onOutcome: (Outcome) async -> Void = { _ in }) async throws -> Int {
        try await withThreadExecutor(name: "calotype-io", threads: 2) { writing in
            let folder = try await writing.run { [path] in try OutputFolder(path: path) }
            let written = await withConcurrentResults(of: entries, limit: 256) { entry in
                try await load(entry, into: folder, writing)
            } body: { results in
                await Self.count(results, onOutcome)
            }
            try Task.checkCancellation()
            return entries.count - written
        }
    }

    /// Counts the files written, until the disk is full.
    private static func count(
        _ results: ConcurrentResults<Entry, String, Never>,
        _ onOutcome: (Outcome) async -> Void
    ) async -> Int {
        var written = 0
        for await element in results {
            switch element.result {
            case .success(let name):
                written += 1
                await onOutcome(Outcome(entry: element.input, result: .success(name)))
            case .failure(let error) where error is CancellationError:
                continue
            case .failure(let error):
                let error = Self.described(error)
                await onOutcome(Outcome(entry: element.input, result: .failure(error)))
                if error.isFullDisk { return written }
            }
        }
        return written
    }

    private func load(
        _ entry: Entry,
        into folder: OutputFolder,
        _ writing: ThreadExecutor
    ) async throws -> String {
        var request = ImageRequest(entry.url, .none, .original)
        request.cachePolicy = cachePolicy
        let rendition = try await loader.load(request)
        let name = "\(entry.name).\(rendition.format.fileExtension)"
        try await writing.run { try folder.write(rendition.bytes, as: name) }
        return name
    }

    private static func described(_ error: any Error) -> CalotypeError {
        switch error {
        case let error as CalotypeError: error
        default: CalotypeError(.protocolError, "\(error)", stage: .request)
        }
    }
}
