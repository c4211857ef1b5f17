import CalotypeFiles
import TaskFlow

/// A line that tells how far the work is: redrawn in place on a terminal, plain lines or JSON elsewhere.
///
/// On a terminal, rows may stand above it, one for each of several things: as many as the screen has room for.
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
    private let stopwatch: Stopwatch
    private var lastShown: Duration?
    private var drawn: (frame: ProgressFrame, widths: [Int])?
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
        stopwatch = Stopwatch(clock)
    }

    /// Shows `frame`, unless the last one is too young.
    public func show(_ frame: ProgressFrame) {
        let now = stopwatch.now
        guard style != .silent, lastShown.map({ now - $0 >= interval }) ?? (style != .lines) else {
            // The first plain line comes after an interval, so that a short run prints none.
            if lastShown == nil, style == .lines { lastShown = now }
            return
        }
        guard style != .terminal || output.isReady else { return }
        lastShown = now
        draw(frame)
    }

    /// Prints `text` as a line of its own, above the progress line; for ``Style/json`` as an object.
    public func message(_ text: String) {
        if style == .json { return write(Self.object(ofMessage: text) + "\n") }
        let frame = drawn?.frame
        clear()
        write(text + "\n")
        if let frame { draw(frame) }
    }

    /// Takes line and rows away; for ``Style/json`` shows `last`, whenever the one before was.
    public func finish(_ last: ProgressFrame? = nil) {
        clear()
        if style == .json, let last { draw(last) }
    }

    /// A message as a JSON object on one line, for programs that read nothing else.
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
            // One column is left free: a full last column makes some terminals wrap.
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

    /// Goes to where the frame that is on the screen begins.
    private var home: String {
        let rows = rowsTaken
        return rows > 1 ? "\r\u{1B}[\(rows - 1)A" : "\r"
    }

    /// Clears what is on the screen below the first `count` lines.
    private func below(_ count: Int) -> String {
        rowsTaken > count ? "\u{1B}[J" : ""
    }

    /// The screen's rows that the frame takes; a terminal that became narrower has broken its lines.
    private var rowsTaken: Int {
        let columns = max(output.columns, 1)
        return drawn?.widths.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) } ?? 0
    }

    /// Writes what can be written; a terminal that has gone is no reason to stop the work.
    private func write(_ text: String) {
        guard !isBroken else { return }
        do { try output.write(text) } catch { isBroken = true }
    }
}
