import CalotypeCore
import TaskFlow

/// The current and the next frame of the screen: at most one frame waits while one is being written.
struct ScreenState {
    /// The next frame to write.
    struct Step {
        let old: Frame?
        let new: Frame
        /// Whether the screen may differ from `old`.
        let isAnew: Bool
    }

    private(set) var size: ScreenSize
    private(set) var framesWritten = 0
    private(set) var failure: CalotypeError?
    private var waiting: Frame?
    /// The frame that was written last or is being written.
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

    /// Records a new size.
    ///
    /// The frame is drawn again, because terminals move text when they are resized.
    mutating func resize(_ size: ScreenSize) {
        self.size = size
        redraw()
    }

    /// Returns the next frame to write, unless one is being written.
    mutating func next() -> Step? {
        guard !isWriting, let frame = waiting else { return nil }
        let step = Step(old: latest, new: frame.fitted(to: size), isAnew: !isKnown)
        waiting = nil
        latest = step.new
        isKnown = true
        isWriting = true
        return step
    }

    /// Records that the frame was written; returns the latches to open if no frame waits.
    mutating func wrote() -> [Latch<CalotypeError?>] {
        guard isWriting else { return [] }
        isWriting = false
        framesWritten += 1
        guard waiting == nil else { return [] }
        defer { latches = [] }
        return latches
    }

    /// Records that the frame was not completely written.
    mutating func abandon() {
        isWriting = false
        redraw()
    }

    /// Ends the output; nothing is shown any more.
    mutating func fail(_ error: CalotypeError) -> [Latch<CalotypeError?>] {
        failure = failure ?? error
        waiting = nil
        defer { latches = [] }
        return latches
    }

    /// Stores a latch until everything is written.
    ///
    /// - Returns: Whether there is nothing to wait for.
    mutating func wait(_ latch: Latch<CalotypeError?>) -> Bool {
        guard failure == nil, waiting != nil || isWriting else { return true }
        latches.append(latch)
        return false
    }
}
