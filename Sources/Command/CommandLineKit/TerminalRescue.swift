package import Glibc
import Synchronization

/// How a terminal whose screen is ours is given back when the process ends at once: by a second interruption or a crash.
///
/// A signal handler may do it, so all of it lies ready: a process has one terminal.
package enum TerminalRescue {
    private static let isArmed = Atomic<Bool>(false)
    private static let input = Atomic<Int32>(-1)
    private static let output = Atomic<Int32>(-1)
    private static let byteCount = Atomic<Int>(0)
    private static let capacity = 128
    // SAFETY: allocated once and never freed; written before `isArmed` is set and while no handler of ours is installed.
    private nonisolated(unsafe) static let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    // SAFETY: as above.
    private nonisolated(unsafe) static let modes = UnsafeMutablePointer<termios>.allocate(capacity: 1)

    /// Says how to give the terminal back, from now on.
    ///
    /// - Parameters:
    ///   - input: The descriptor whose modes are set.
    ///   - modes: The modes to set.
    ///   - output: The descriptor that is written to; it should not block.
    ///   - bytes: What is written to it, at most 128 bytes.
    package static func arm(input: Int32, modes: termios, output: Int32, bytes: [UInt8]) {
        precondition(bytes.count <= capacity, "\(bytes.count) bytes are too many")
        unsafe self.modes.initialize(to: modes)
        for (index, byte) in bytes.enumerated() { unsafe (self.bytes + index).initialize(to: byte) }
        byteCount.store(bytes.count, ordering: .relaxed)
        self.input.store(input, ordering: .relaxed)
        self.output.store(output, ordering: .relaxed)
        isArmed.store(true, ordering: .releasing)
    }

    /// Creates what a signal handler uses, which must not be the first to touch it.
    package static func prepare() {
        unsafe withExtendedLifetime((bytes, modes)) {}
        _ = isArmed.load(ordering: .relaxed)
    }

    /// The terminal has been given back, or is about to be closed.
    package static func disarm() {
        isArmed.store(false, ordering: .sequentiallyConsistent)
    }

    /// Gives the terminal back, if it is ours; does only what POSIX allows in a signal handler.
    package static func perform() {
        guard isArmed.load(ordering: .acquiring) else { return }
        let count = byteCount.load(ordering: .relaxed)
        let descriptor = output.load(ordering: .relaxed)
        var written = 0
        // A terminal that takes nothing for a quarter of a second is given up.
        var patience = 5
        while written < count, patience > 0 {
            let result = unsafe write(descriptor, bytes + written, count - written)
            if result > 0 {
                written += result
            } else {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&entry, 1, 50)
                patience -= 1
            }
        }
        _ = unsafe tcsetattr(input.load(ordering: .relaxed), TCSANOW, modes)
    }
}
