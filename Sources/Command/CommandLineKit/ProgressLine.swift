import CalotypeFiles
import TaskFlow

/// Shows progress: a line that is redrawn in place on a terminal, plain lines or JSON elsewhere.
///
/// On a terminal, rows can appear above the line, one for each item, as many as the screen has space for.
///
/// It writes escape codes only to a terminal. It skips frames that arrive too fast or that the terminal
/// cannot take yet; work never waits for it. Several tasks can use it.
public actor ProgressLine {
    /// The way to show frames.
    public enum Style: String, CaseIterable, Sendable {
        /// One line, redrawn at most ten times a second.
        case terminal
        /// One line every ten seconds, for log files.
        case lines
        /// One JSON object per line, at most ten a second, and always the last one.
        case json
        /// Nothing.
        case silent
    }

    private let output: TerminalOutput
    private let style: Style
    private let stopwatch: Stopwatch
    private var lastShown: Duration?
    private var drawn: (frame: ProgressFrame, widths: [Int])?
    private var isBroken = false

    /// Creates a line on `output`.
    ///
    /// - Parameters:
    ///   - output: The output, standard error by default.
    ///   - style: The style; by default ``Style/terminal`` on a terminal and ``Style/lines`` elsewhere.
    ///   - clock: The clock that measures the rate of frames.
    public init(
        output: TerminalOutput = .standardError,
        style: Style? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.output = output
        self.style = style ?? (output.isTerminal ? .terminal : .lines)
        stopwatch = Stopwatch(clock)
    }

    /// Shows `frame`, unless the previous one is too recent.
    public func show(_ frame: ProgressFrame) {
        let now = stopwatch.now
        guard style != .silent, lastShown.map({ now - $0 >= interval }) ?? (style != .lines) else {
            // The first plain line appears after an interval, so that a short run prints none.
            if lastShown == nil, style == .lines { lastShown = now }
            return
        }
        guard style != .terminal || output.isReady else { return }
        lastShown = now
        draw(frame)
    }

    /// Prints `text` on a line above the progress line; for ``Style/json``, prints it as an object.
    public func message(_ text: String) {
        if style == .json { return write(Self.object(ofMessage: text) + "\n") }
        let frame = drawn?.frame
        clear()
        write(text + "\n")
        if let frame { draw(frame) }
    }

    /// Removes the line and the rows; for ``Style/json``, shows `last` without regard to the rate.
    public func finish(_ last: ProgressFrame? = nil) {
        clear()
        if style == .json, let last { draw(last) }
    }

    /// Returns a message as a JSON object on one line, for programs that read only JSON.
    public static func object(ofMessage text: String) -> String {
        var object = JSONObject()
        object.add("event", string: "message")
        object.add("message", string: text)
        return object.text
    }

    private var interval: Duration {
        style == .lines ? .seconds(10) : .milliseconds(100)
    }

    private func draw(_ frame: ProgressFrame) {
        switch style {
        case .terminal:
            // One column stays free, because a full last column makes some terminals wrap.
            let lines = frame.lines(width: output.columns - 1, height: output.rows - 1)
            write(
                home + lines.joined(separator: Self.clearToEnd + "\n") + Self.clearToEnd + below(lines.count)
            )
            drawn = (frame, lines.map { TextWidth.columns(of: $0) })
        case .lines: write(frame.line(width: 200) + "\n")
        case .json: write(frame.json + "\n")
        case .silent: break
        }
    }

    private static let clearToEnd = "\u{1B}[K"

    private func clear() {
        guard drawn != nil else { return }
        write(home + Self.clearToEnd + below(1))
        drawn = nil
    }

    /// The sequence that moves the cursor to the start of the current frame.
    private var home: String {
        let rows = rowsTaken
        return rows > 1 ? "\r\u{1B}[\(rows - 1)A" : "\r"
    }

    /// Returns the sequence that clears the screen below the first `count` lines.
    private func below(_ count: Int) -> String {
        rowsTaken > count ? "\u{1B}[J" : ""
    }

    /// The number of screen rows that the frame takes; a terminal that became narrower has wrapped its lines.
    private var rowsTaken: Int {
        let columns = max(output.columns, 1)
        return drawn?.widths.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) } ?? 0
    }

    /// Writes as much as possible; a lost terminal must not stop the work.
    private func write(_ text: String) {
        guard !isBroken else { return }
        do { try output.write(text) } catch { isBroken = true }
    }
}
