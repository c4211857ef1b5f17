import CalotypeBulk
import CommandLineKit
import Glibc
import TaskFlow

/// What a run shows: the progress line while it goes on, the summary and the trace when it has ended.
struct FetchDisplay: Sendable {
    private let line: ProgressLine
    private let isQuiet: Bool
    private let trace: TraceFile?
    private let notices = Guarded<[String]>([])

    init(_ arguments: ParsedArguments, _ trace: TraceFile?) {
        line = ProgressLine(style: FetchOptionsGroup.progressStyle(arguments))
        isQuiet = arguments[FetchOptionsGroup.quiet]
        self.trace = trace
    }

    /// Takes something about the cache that is shown with the next event.
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
            await line.message("calotype fetch: \(text)")
        }
    }

    private func showNotices() async {
        let notices = notices.withLock { notices in
            defer { notices = [] }
            return notices
        }
        for notice in notices { await line.message("calotype fetch: \(notice)") }
    }

    func end(_ summary: RunSummary) async {
        await showNotices()
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
