import CalotypeCPictures
import CalotypeCore

/// How the frames of an animation follow each other.
struct FrameTiming: Hashable {
    /// How long each frame is shown, in milliseconds.
    var delays: [Int32]
    /// How many times the animation is shown; 0 for without end.
    var loops: Int32

    /// The delay of a frame whose source does not say.
    static let usualDelay: Int32 = 100
}

// libvips holds an animation as one image, its frames below each other.
extension VipsImage {
    /// The size of each frame.
    var frameSize: PixelSize {
        unsafe PixelSize(width: size.width, height: Int(cvips_frame_height(pointer)))
    }

    /// The timing of `frames`, counted from the first frame of the source.
    func timing(of frames: Range<Int>) -> FrameTiming {
        var count: Int32 = 0
        let delays = unsafe cvips_delays(pointer, &count)
        let known = unsafe Array(UnsafeBufferPointer(start: delays, count: delays == nil ? 0 : Int(count)))
        return FrameTiming(
            delays: frames.map { known.indices.contains($0) ? max(0, known[$0]) : FrameTiming.usualDelay },
            loops: unsafe max(0, cvips_loops(pointer))
        )
    }

    /// Makes the image an animation of frames of `height`; it must not be shared yet.
    func setFrames(height: Int, _ timing: FrameTiming) {
        let count = Int32(clamping: timing.delays.count)
        unsafe cvips_set_frames(pointer, Int32(clamping: height), timing.delays, count, timing.loops)
    }
}
