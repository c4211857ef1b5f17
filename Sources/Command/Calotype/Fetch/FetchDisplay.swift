import CalotypeBulk
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import TaskFlow

/// The display of a run: the progress line during the run, the summary and the trace after it.
struct FetchDisplay: Sendable {
    private let line: ProgressLine
    private let isQuiet: Bool
    private let isForPrograms: Bool
    /// Whether the list comes from standard input.
    private let readsInput: Bool
    private let trace: TraceFile?
    private let command: String
    private let notices = Guarded<[String]>([])
    private let interruption = Guarded<Interruption?>(nil)

    init(_ command: String, _ arguments: ParsedArguments, _ trace: TraceFile?) {
        self.command = command
        line = ProgressLine(style: FetchOptionsGroup.progressStyle(arguments))
        isQuiet = arguments[FetchOptionsGroup.quiet]
        isForPrograms = FetchOptionsGroup.isForPrograms(arguments)
        readsInput = arguments.operands.contains("-")
        self.trace = trace
    }

    /// Stores a notice about the cache, to be shown with the next event.
    func note(_ notice: String) {
        notices.withLock { $0.append("cache: \(notice)") }
    }

    func show(_ event: FetchEvent) async {
        await showNotices()
        switch event {
        case .progress(let progress):
            await line.show(
                ProgressFrame(parts: progress.phrases, fraction: progress.fraction, json: progress.json)
            )
        case .warning(let text):
            await line.message("calotype \(command): \(text)")
        }
    }

    private func showNotices() async {
        let notices = notices.withLock { notices in
            defer { notices = [] }
            return notices
        }
        for notice in notices { await line.message("calotype \(command): \(notice)") }
    }

    /// Stores the signal that interrupts the run, for the summary.
    func interrupt(_ received: Interruption) {
        interruption.withLock { $0 = received }
    }

    /// Prints the outcome of the run, and how to continue it if it was interrupted.
    ///
    /// - Returns: The exit code.
    func end(_ summary: RunSummary) async -> Int32 {
        var summary = summary
        summary.signal = interruption.withLock { $0?.signal }
        await showNotices()
        if let problem = trace?.finish() {
            summary.problems.append(problem)
            await line.message("calotype \(command): \(problem)")
        }
        await line.finish(ProgressFrame(parts: [], json: summary.json))
        if !isQuiet, !isForPrograms {
            Main.complain(summary.text)
            if summary.ending == .interrupted {
                Main.complain("\(EnteredCommand.continuation(readsInput: readsInput))\n")
            }
        }
        return summary.exitCode
    }

    /// Exits while a decode that cannot be interrupted is still running; all files are complete.
    func abandon(_ summary: RunSummary) async {
        _exit(await end(summary))
    }
}

/// The file for `--trace`, opened before the run and written after it.
struct TraceFile: Sendable {
    let recorder = TraceRecorder()
    private let file: OpenFile
    private let path: String

    /// Creates the file, or replaces it if it exists.
    ///
    /// - Throws: `BulkError`.
    init(path: String) throws(BulkError) {
        do throws(SystemError) {
            file = try OpenFile(writingTo: path)
        } catch {
            throw BulkError("the trace \(path) cannot be written: \(error.reason)")
        }
        self.path = path
    }

    /// Writes the recorded trace; call it once.
    ///
    /// - Returns: The reason if the trace is incomplete.
    func finish() -> String? {
        let output = TerminalOutput(descriptor: file.descriptor)
        var writer = ChromeTraceWriter { try output.write($0) }
        do {
            try writer.write(recorder)
            return nil
        } catch {
            return "the trace \(path) is incomplete: \(error)"
        }
    }
}
