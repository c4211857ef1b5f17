import Calotype
import CalotypeBulk
import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeHTTP
import Glibc

/// How the commands that ask a catalogue run: in a pipeline, until a signal, with one line for what went wrong.
struct CatalogRun: Sendable {
    /// The command's name, such as `apps search`.
    let command: String
    let arguments: ParsedArguments
    /// Which addresses pictures may be loaded from; those that an answer names only from public ones.
    private let addressPolicy: AddressPolicy

    init(command: String, arguments: ParsedArguments, addressPolicy: AddressPolicy = .publicOnly) {
        self.command = command
        self.arguments = arguments
        self.addressPolicy = arguments[FetchOptionsGroup.allowPrivate] ? .any : addressPolicy
    }

    /// Runs `body`, and turns what it throws into a line on standard error and an exit code.
    func run(
        until signals: [Int32] = [SIGINT, SIGTERM],
        with configuration: PipelineConfiguration? = nil,
        _ body: @escaping @Sendable (Catalog, ImagePipeline) async throws -> Int32
    ) async throws -> Int32 {
        let services = try CatalogOptions.configuration(arguments, command: command)
        do {
            let configuration = configuration ?? self.configuration
            let run = try await withInterruption(by: signals) {
                try await withImagePipeline(configuration) { pipeline in
                    try await body(Catalog(pipeline, services), pipeline)
                }
            }
            return run.signal == nil ? run.result : 130
        } catch is CancellationError {
            return 130
        } catch let error as CatalogError {
            complain(error)
            return Self.exitCode(error)
        } catch let error as CalotypeError {
            complain("\(error.code): \(error.message)")
            return 3
        } catch let error as FetchSetupError {
            complain(error.description)
            return UsageError.exitCode
        }
    }

    /// Says something about the run on standard error.
    func complain(_ message: String) {
        let line = "calotype \(command): \(TerminalText.line(message))"
        let isForPrograms = FetchOptionsGroup.isForPrograms(arguments)
        Main.complain((isForPrograms ? ProgressLine.object(ofMessage: line) : line) + "\n")
    }

    /// Tells of an answer that could not be had; its message says when to try again, where that is known.
    func complain(_ error: CatalogError) {
        // Whom to ask later is plain; for the rest the URL tells whether the right server was asked for the right thing.
        let url = error.code == .rateLimited ? nil : error.url
        complain("\(error.code): \(error.message)" + (url.map { " (\($0))" } ?? ""))
    }

    /// Tells of entries that were left out of an answer.
    func tell(_ skipped: [SkippedEntry]) {
        for entry in skipped { complain("\(entry)") }
    }

    /// 2 for what was asked for and makes no sense, 3 for what could not be had.
    static func exitCode(_ error: CatalogError) -> Int32 {
        [.invalidQuery, .invalidPath].contains(error.code) ? UsageError.exitCode : 3
    }

    /// How pictures are loaded.
    var configuration: PipelineConfiguration {
        var configuration = NetworkOptions.configuration(arguments)
        configuration.addressPolicy = addressPolicy
        configuration.stores = [.documents, .sources]
        configuration.diskCache = CacheOptions.cache(arguments) { complain("cache: \($0)") }
        return configuration
    }
}

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
