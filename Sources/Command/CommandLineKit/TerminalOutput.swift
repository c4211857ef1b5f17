package import CalotypeFiles
import CalotypePlatform

/// Standard output or standard error; all writes to them go through here.
public struct TerminalOutput: Sendable {
    /// The stream of results.
    public static let standardOutput = TerminalOutput(descriptor: STDOUT_FILENO)
    /// The stream of messages.
    public static let standardError = TerminalOutput(descriptor: STDERR_FILENO)

    /// The file descriptor, which the caller owns.
    public let descriptor: Int32

    /// Creates an output on `descriptor`.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Makes a closed pipe an error of ``write(_:)`` instead of a fatal signal; call it first in the program.
    public static func ignoreClosedPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Whether the output is a terminal that can move its cursor.
    public var isTerminal: Bool {
        guard isatty(descriptor) == 1 else { return false }
        guard let name = unsafe getenv("TERM") else { return false }
        return unsafe strcmp(name, "dumb") != 0
    }

    /// The terminal's width, or 80 if it is not known.
    public var columns: Int {
        let columns = Int(size.ws_col)
        return columns > 0 ? columns : 80
    }

    /// The terminal's height, or 24 if it is not known.
    public var rows: Int {
        let rows = Int(size.ws_row)
        return rows > 0 ? rows : 24
    }

    private var size: winsize {
        var size = winsize()
        return unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? size : winsize()
    }

    /// Whether a write would succeed immediately; a terminal stopped with Ctrl-S would block.
    public var isReady: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, 0) == 1
    }

    /// Writes all of `text`.
    ///
    /// - Throws: `SystemError`, with the code `EPIPE` if the reader has closed the pipe, as with `| head`.
    package func write(_ text: String) throws(SystemError) {
        try write(Array(text.utf8))
    }

    /// Writes all of `bytes`.
    ///
    /// - Throws: `SystemError`, with the code `EPIPE` if the reader has closed the pipe, as with `| head`.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe CalotypePlatform.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                waitUntilReady()
            } else if errno != EINTR {
                throw SystemError("write")
            }
        }
    }

    /// Waits until the output is writable, if another process made it non-blocking, such as a shared
    /// terminal.
    private func waitUntilReady() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&entry, 1, -1)
    }
}
