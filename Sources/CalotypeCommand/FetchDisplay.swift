import CalotypeBulk
import CommandLineKit
import Glibc

/// What a run shows: the progress line while it goes on, the summary and the trace when it has ended.
struct FetchDisplay: Sendable {
    private let line: ProgressLine
    private let isQuiet: Bool
    private let trace: TraceFile?

    init(_ arguments: ParsedArguments, _ trace: TraceFile?) {
        line = ProgressLine(style: FetchOptionsGroup.progressStyle(arguments))
        isQuiet = arguments[FetchOptionsGroup.quiet]
        self.trace = trace
    }

    func show(_ event: FetchEvent) async {
        switch event {
        case .progress(let progress):
            await line.show(
                ProgressFrame(parts: progress.phrases, fraction: progress.fraction, json: progress.json)
            )
        case .warning(let text):
            await line.message("calotype fetch: \(text)")
        }
    }

    func end(_ summary: RunSummary) async {
        await line.finish()
        trace?.finish()
        if !isQuiet { Main.complain(summary.text) }
    }

    /// Ends the process while a decode that cannot be interrupted still runs; all files are complete.
    func abandon(_ summary: RunSummary) async {
        await end(summary)
        _exit(summary.exitCode)
    }
}
