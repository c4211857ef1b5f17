/// A line that tells how far the work is: redrawn in place on a terminal, plain lines or JSON elsewhere.
///
/// It writes no escape code unless the output is a terminal, and skips frames that come too fast or that the
/// terminal cannot take now; work never waits for it. One task or many may use it.
public actor ProgressLine {
    /// How frames are shown.
    public enum Style: String, CaseIterable, Sendable {
        /// One line, redrawn at most ten times a second.
        case terminal
        /// A line every ten seconds, for log files.
        case lines
        /// A JSON object a line, at most ten a second, and always the last.
        case json
        /// Nothing.
        case silent
    }

    private let output: TerminalOutput
    private let style: Style
    private let elapsed: @Sendable () -> Duration
    private var lastShown: Duration?
    private var isDrawn = false
    private var isBroken = false

    /// Creates a line on `output`.
    ///
    /// - Parameters:
    ///   - output: where it is shown, standard error by default.
    ///   - style: how; by default ``Style/terminal`` on a terminal and ``Style/lines`` elsewhere.
    ///   - clock: what the rate of frames is measured with.
    public init(
        output: TerminalOutput = .standardError,
        style: Style? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.output = output
        self.style = style ?? (output.isTerminal ? .terminal : .lines)
        elapsed = Self.stopwatch(clock)
    }

    /// Shows `frame`, unless the last one is too young.
    public func show(_ frame: ProgressFrame) {
        let now = elapsed()
        guard style != .silent, lastShown.map({ now - $0 >= interval }) ?? (style != .lines) else {
            // The first plain line comes after an interval, so that a short run prints none.
            if lastShown == nil, style == .lines { lastShown = now }
            return
        }
        guard style != .terminal || output.isReady else { return }
        lastShown = now
        draw(frame)
    }

    /// Prints `text` as a line of its own, above the progress line.
    public func message(_ text: String) {
        clear()
        write(text + "\n")
    }

    /// Takes the line away; for ``Style/json`` shows `last`, whenever the one before was.
    public func finish(_ last: ProgressFrame? = nil) {
        clear()
        if style == .json, let last { draw(last) }
    }

    private var interval: Duration {
        style == .lines ? .seconds(10) : .milliseconds(100)
    }

    private func draw(_ frame: ProgressFrame) {
        switch style {
        case .terminal:
            // One column is left free: a full last column makes some terminals wrap.
            write("\r" + frame.line(width: output.columns - 1) + "\u{1B}[K")
            isDrawn = true
        case .lines: write(frame.line(width: 200) + "\n")
        case .json: write(frame.json + "\n")
        case .silent: break
        }
    }

    private func clear() {
        guard isDrawn else { return }
        write("\r\u{1B}[K")
        isDrawn = false
    }

    /// Writes what can be written; a terminal that has gone is no reason to stop the work.
    private func write(_ text: String) {
        guard !isBroken else { return }
        do { try output.write(text) } catch { isBroken = true }
    }

    private static func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
