import CalotypeCore
import TaskFlow

/// What the screen shows and is to show: at most one frame waits, and one is being written.
struct ScreenState {
    /// What is to be written next.
    struct Step {
        let old: Frame?
        let new: Frame
        /// Whether the screen may show something else than `old`.
        let isAnew: Bool
    }

    private(set) var size: ScreenSize
    private(set) var framesWritten = 0
    private(set) var failure: CalotypeError?
    private var waiting: Frame?
    /// What was written last, or is being written.
    private var latest: Frame?
    private var isKnown = false
    private var isWriting = false
    private var latches: [Latch<CalotypeError?>] = []

    init(size: ScreenSize) {
        self.size = size
    }

    mutating func show(_ frame: Frame) {
        if failure == nil { waiting = frame }
    }

    mutating func redraw() {
        waiting = waiting ?? latest
        isKnown = false
    }

    /// Takes note of a new size; what is shown is drawn again, because terminals move text about when their size changes.
    mutating func resize(_ size: ScreenSize) {
        self.size = size
        redraw()
    }

    /// The frame that is to be written now, unless one is on its way.
    mutating func next() -> Step? {
        guard !isWriting, let frame = waiting else { return nil }
        let step = Step(old: latest, new: frame.fitted(to: size), isAnew: !isKnown)
        waiting = nil
        latest = step.new
        isKnown = true
        isWriting = true
        return step
    }

    /// Takes note that the frame was written; those to be told are returned once none waits.
    mutating func wrote() -> [Latch<CalotypeError?>] {
        guard isWriting else { return [] }
        isWriting = false
        framesWritten += 1
        guard waiting == nil else { return [] }
        defer { latches = [] }
        return latches
    }

    /// Takes note that the frame on its way did not arrive.
    mutating func abandon() {
        isWriting = false
        redraw()
    }

    /// Ends it: nothing is shown any more.
    mutating func fail(_ error: CalotypeError) -> [Latch<CalotypeError?>] {
        failure = failure ?? error
        waiting = nil
        defer { latches = [] }
        return latches
    }

    /// Keeps a latch until all is written.
    ///
    /// - Returns: Whether there is nothing to wait for.
    mutating func wait(_ latch: Latch<CalotypeError?>) -> Bool {
        guard failure == nil, waiting != nil || isWriting else { return true }
        latches.append(latch)
        return false
    }
}
