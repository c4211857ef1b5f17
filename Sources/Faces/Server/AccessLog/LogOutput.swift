import CalotypeCore
import Glibc

/// Where a log is written: a file, or standard output, which may be a pipe that nobody reads.
struct LogOutput: Sendable {
    /// What fits into a pipe that is ready, so that a write does not block.
    private static let piece = 4_096
    /// How long a reader that takes nothing is waited for once the log is to end.
    private static let patience = 10

    private let file: OpenFile

    /// Opens the file at `path` to add to it; `-` is standard output.
    init(_ path: String) throws(SystemError) {
        file =
            path == "-"
            ? OpenFile(descriptor: STDOUT_FILENO, isOwned: false)
            : try OpenFile(path, O_WRONLY | O_CREAT | O_APPEND)
    }

    /// Writes to `file`.
    init(_ file: OpenFile) {
        self.file = file
    }

    /// Writes `bytes`, and waits for a slow reader; one that takes nothing more loses them when `hasEnded`, one that has gone
    /// at once.
    func write(_ bytes: [UInt8], hasEnded: () -> Bool) {
        var (done, waits) = (0, 0)
        while done < bytes.count {
            guard isReady else {
                waits += 1
                if hasEnded(), waits > Self.patience { return }
                continue
            }
            let piece = Array(bytes[done..<min(done + Self.piece, bytes.count)])
            // Nobody reads: what is told now is lost, as is what comes.
            do { try file.write(piece) } catch { return }
            (done, waits) = (done + piece.count, 0)
        }
    }

    /// Whether a piece can be written; waits a tenth of a second for that.
    private var isReady: Bool {
        var entry = pollfd(fd: file.descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, 100) != 0
    }
}
