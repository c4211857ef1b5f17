import Calotype
import CalotypeBulk
import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore

/// Pictures that an answer names, loaded into a folder; each failure is told with its URL and code.
struct PictureFiles: Sendable {
    typealias Entry = NamedFetch.Entry

    private let run: CatalogRun
    private let pipeline: ImagePipeline

    init(_ run: CatalogRun, _ pipeline: ImagePipeline) {
        self.run = run
        self.pipeline = pipeline
    }

    /// Loads `entries` into `folder`, and says at the end how many there are.
    ///
    /// - Parameters:
    ///   - entries: the pictures and the names of their files.
    ///   - folder: where they go; nothing is done without one.
    ///   - noun: what one of them is called.
    /// - Returns: how many failed, or `nil` without a folder.
    /// - Throws: `FetchSetupError` where the folder cannot be used; `CancellationError`.
    func load(_ entries: [Entry], into folder: String?, as noun: String) async throws -> Int? {
        guard let folder else { return nil }
        let job = NamedFetch(
            entries,
            into: folder,
            cachePolicy: CacheOptions.policy(run.arguments),
            loader: pipeline
        )
        let failures = try await job.run { outcome in
            guard case .failure(let error) = outcome.result else { return }
            run.complain(
                "\(URLCredentials.removed(from: outcome.entry.url)): \(error.code): \(error.message)"
            )
        }
        let written = entries.count - failures
        let plural = written == 1 ? noun : noun + "s"
        run.complain("\(written) \(plural) in \(folder)" + (failures > 0 ? ", \(failures) failed" : ""))
        return failures
    }
}
