import CalotypeCore
import TaskFlow

/// What the screen shows and is to show: at most one frame waits, and one is being written.
struct ScreenState {
    private(set) var size: ScreenSize
    /// The frame that is to be shown next.
    private(set) var waiting: Frame?
    /// What has been written last, or is being written; `nil` where that is not known.
    private(set) var shown: Frame?
    private(set) var framesWritten = 0
    private(set) var failure: CalotypeError?
    private var isWriting = false
    private var latches: [Latch<CalotypeError?>] = []

    init(size: ScreenSize) {
        self.size = size
    }

    mutating func show(_ frame: Frame) {
        if failure == nil { waiting = frame }
    }

    mutating func redraw() {
        if waiting == nil { waiting = shown }
        shown = nil
    }

    /// Keeps a latch until all is written; gives it back when that is so already.
    mutating func wait(_ latch: Latch<CalotypeError?>) -> Latch<CalotypeError?>? {
        guard waiting != nil || isWriting else { return latch }
        latches.append(latch)
        return nil
    }
}
