import CalotypeCommandLineKit
import CalotypePublish

/// The display of a publication in progress.
actor PublishDisplay {
    private let line: ProgressLine
    /// Whether failures that will be retried get a line each, because no bar shows them.
    private let tellsProblems: Bool
    private let tells: Bool
    private var last = PublishState()
    private var isInterrupted = false

    init(_ arguments: ParsedArguments) {
        let style = arguments[PublishOptions.quiet] ? .silent : arguments[PublishOptions.progress]
        line = ProgressLine(output: style == .json ? .standardOutput : .standardError, style: style)
        tells = style == nil
        tellsProblems = style == nil && !TerminalOutput.standardError.isTerminal
    }

    /// Shows all states until the last, and updates remaining wait times every second.
    func follow(_ progress: PublishProgress) async {
        last = PublishState()
        await withTaskGroup { group in
            group.addTask { for await state in progress { await self.show(state) } }
            group.addTask {
                while !Task.isCancelled {
                    // A cancelled sleep ends the loop.
                    try? await Task.sleep(for: .seconds(1))
                    await self.refresh()
                }
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Reports the interruption and what happens next.
    func interrupt() async {
        isInterrupted = true
        await line.finish()
        let what =
            switch last.stage {
            case .uploading where last.mayBeUp:
                "; removing uploaded files from the server. Press Ctrl-C again to exit immediately"
            case .posting: " while the post is sent"
            default: ""
            }
        if tells { PublishCommand.complain("interrupted\(what)") }
    }

    /// Removes the bars; for programs, prints the last state.
    func end(_ state: PublishState) async {
        await line.finish(frame(state))
    }

    /// Prints a line above the bars.
    func message(_ text: String) async {
        if tells { await line.message("calotype publish: \(TerminalText.line(text))") }
    }

    private func show(_ state: PublishState) async {
        let before = last
        last = state
        guard !isInterrupted, !state.stage.isLast else { return }
        for loss in state.losses(since: before) { await message(loss) }
        if tellsProblems { for problem in state.problems(since: before) { await message(problem) } }
        await line.show(frame(state))
    }

    private func refresh() async {
        guard !isInterrupted, !last.stage.isLast, !last.items.isEmpty, tells else { return }
        await line.show(frame(last))
    }

    private func frame(_ state: PublishState) -> ProgressFrame {
        var frame = ProgressFrame(parts: state.phrases(), fraction: state.fraction, json: state.json())
        frame.title = state.title
        frame.underWay = state.fractionSent
        frame.rows = state.items.map { item in
            var row = ProgressRow(item.name, fraction: item.fraction, parts: item.phrases(), item.standing)
            row.underWay = item.fractionSent
            return row
        }
        return frame
    }
}

extension PublishState.Item {
    fileprivate var standing: ProgressRow.Standing {
        switch stage {
        case .ready, .failed: .done
        case .waiting: .waiting
        case .preparing, .uploading, .processing, .checking: .active
        }
    }
}
