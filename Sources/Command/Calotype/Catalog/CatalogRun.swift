import Calotype
import CalotypeBulk
import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeHTTP

/// Runs a catalogue command in a pipeline until a signal, and reports an error on one line.
struct CatalogRun: Sendable {
    /// The command's name, such as `apps search`.
    let command: String
    let arguments: ParsedArguments
    /// The addresses that images may be loaded from; images that a response names come from public addresses
    /// only.
    private let addressPolicy: AddressPolicy

    init(command: String, arguments: ParsedArguments, addressPolicy: AddressPolicy = .publicOnly) {
        self.command = command
        self.arguments = arguments
        self.addressPolicy = AddressOptions.policy(arguments) ?? addressPolicy
    }

    /// Runs `body`, and turns its error into a line on standard error and an exit code.
    func run(
        with configuration: PipelineConfiguration? = nil,
        _ body: @escaping @Sendable (Catalog, ImagePipeline) async throws -> Int32
    ) async throws -> Int32 {
        let services = try CatalogOptions.configuration(arguments, command: command)
        do {
            let configuration = try configuration ?? loading()
            let run = try await withInterruption {
                try await withImagePipeline(configuration) { pipeline in
                    try await body(Catalog(pipeline, services), pipeline)
                }
            }
            if run.interruption != nil { throw CancellationError() }
            return run.result
        } catch let error as CatalogError {
            complain(error)
            return Self.exitCode(error)
        } catch let error as CalotypeError {
            complain("\(error.code): \(error.message)")
            return 3
        } catch let error as BulkError {
            complain(error.description)
            return UsageError.exitCode
        }
    }

    /// Prints a message about the run on standard error.
    func complain(_ message: String) {
        let line = "calotype \(command): \(TerminalText.line(message))"
        let isForPrograms = FetchOptionsGroup.isForPrograms(arguments)
        Main.complain((isForPrograms ? ProgressLine.object(ofMessage: line) : line) + "\n")
    }

    /// Reports a failed query; the message says when to try again, if that is known.
    func complain(_ error: CatalogError) {
        // A rate limit concerns a known service; for other errors the URL shows which server got which
        // request.
        let url = error.code == .rateLimited ? nil : error.url
        complain("\(error.code): \(error.message)" + (url.map { " (\($0))" } ?? ""))
    }

    /// Reports the entries of a response that were skipped.
    func tell(_ skipped: [SkippedEntry]) {
        for entry in skipped { complain("\(entry)") }
    }

    /// Returns 2 for an invalid query, and 3 for one that failed.
    static func exitCode(_ error: CatalogError) -> Int32 {
        [.invalidQuery, .invalidPath].contains(error.code) ? UsageError.exitCode : 3
    }

    /// The configuration for loading pictures.
    ///
    /// - Throws: `UsageError` if a variable that names a proxy is invalid.
    func loading() throws(UsageError) -> PipelineConfiguration {
        var configuration = try NetworkOptions.configuration(arguments)
        configuration.addressPolicy = addressPolicy
        DecoderOptions.apply(arguments, to: &configuration)
        configuration.stores = [.documents, .sources]
        configuration.diskCache = CacheOptions.cache(arguments) { complain("cache: \($0)") }
        return configuration
    }
}

/// Loads the pictures that a response names into a folder, and reports each failure with its URL and code.
struct PictureFiles: Sendable {
    typealias Entry = NamedFetch.Entry

    private let run: CatalogRun
    private let pipeline: ImagePipeline

    init(_ run: CatalogRun, _ pipeline: ImagePipeline) {
        self.run = run
        self.pipeline = pipeline
    }

    /// Loads `entries` into `folder`, and reports how many were written.
    ///
    /// - Parameters:
    ///   - entries: The pictures and the names of their files.
    ///   - folder: The output folder; with `nil` nothing is loaded.
    ///   - noun: The word for one of them.
    /// - Returns: The number of failures, or `nil` without a folder.
    /// - Throws: `BulkError` if the folder cannot be used; `CancellationError`.
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
